// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "formula/formula_costs.h"
#include "gpu/support/engine_fixture.h"
#include "gpu/support/meta_account.h"
#include "memory/cpu_account.h"
#include "stages/parameter_store.h"
#include "stages/transformer_model.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

struct Large
{
    const char *name;
    ModelConfig model;
    std::int64_t seq;
};

struct Sizes
{
    std::int64_t width, heads, kvHeads, headSize, ffnWidth;
};

ModelConfig sized(ModelConfig model, const Sizes &sizes)
{
    model.width = sizes.width;
    model.heads = sizes.heads;
    model.kvHeads = sizes.kvHeads;
    model.headSize = sizes.headSize;
    model.ffnWidth = sizes.ffnWidth;
    model.rotaryFraction = 1.0;
    if (model.slidingWindow > 0)
        model.slidingWindow = 4096;
    model.vocabulary = 128'000;
    model.positions = 8192;
    return model;
}

/// Blocks of the published sizes whose operators all exist on the meta device: layer norm, the fused attention and the choice of
/// experts do not.
std::vector<Large> largeModels()
{
    return {{"Llama-70B-like", sized(tinyLlama(1), {8192, 64, 8, 128, 28'672}), 4096},
            {"Qwen-32B-like", sized(tinyQwen3(1), {5120, 64, 8, 128, 25'600}), 2048},
            {"Gemma-7B-like", sized(tinyGemma(1), {3072, 16, 16, 256, 24'576}), 8192},
            {"Gemma-27B-like", sized(tinyGemma2(2), {4608, 32, 16, 128, 36'864}), 8192},
            {"OLMo-32B-like", sized(tinyOlmo2(1), {5120, 40, 8, 128, 27'648}), 4096}};
}

/// What one stage does to memory that is not there: its graph after the forward, and gradients of parameters after the
/// backward, or -1 where that is not run.
struct StageBytes
{
    Bytes saved = 0;
    Bytes gradients = -1;
};

/// The scale of the explicit attention is a number on the CPU wherever the attention runs.
Bytes held()
{
    return MetaAccount::instance().held() + gpu::CpuAccount::instance().held();
}

StageBytes runStage(gpu::TransformerModel &network, int stage, const std::string &option, const at::Tensor &x,
                    bool withBackward)
{
    const auto bytes = [](const at::Tensor &tensor) { return static_cast<Bytes>(tensor.nbytes()); };
    StageBytes result;
    const Bytes before = held();
    gpu::SavedStage graph;
    at::Tensor y = gpu::forwardSave([&](const at::Tensor &t) { return network.runStage(stage, t, option, false); }, x,
                                    true, graph);
    result.saved = held() - before - bytes(y);
    if (!withBackward)
        return result;
    at::Tensor dy = at::empty_like(y);
    y.reset();
    const at::Tensor dx = gpu::backward(std::move(graph), std::move(dy), network.tick());
    result.gradients = held() - before - bytes(dx);
    return result;
}

} // namespace

/// The formula against LibTorch's own graphs at sizes that no machine of the tests could hold.
class tst_meta : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void largeBlocks_saveWhatTheFormulaSays_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<double>("dropout");
        const auto models = largeModels();
        for (std::size_t i = 0; i < models.size(); ++i)
            for (const char *dtype : {"fp32", "bf16", "mixed-bf16"})
                for (const double dropout : {0.0, 0.1})
                    QTest::addRow("%s %s dropout %g", models[i].name, dtype, dropout)
                        << int(i) << QString(dtype) << dropout;
    }
    void largeBlocks_saveWhatTheFormulaSays()
    {
        QFETCH(int, model);
        QFETCH(QString, dtype);
        QFETCH(double, dropout);
        const Large large = largeModels()[std::size_t(model)];
        Workload workload;
        workload.batch = 2;
        workload.seq = large.seq;
        workload.dtype = *dtypeFrom(dtype.toStdString());
        workload.attention = AttentionKernel::math;
        workload.dropout = dropout;
        workload.attentionDropout = 0.0; // its mask is the fused operator's on the CPU alone
        const auto resolved = resolveWorkload(workload, large.model, 1);
        QVERIFY2(resolved, resolved ? "" : resolved.error().message.c_str());
        const auto formula = chainFormula(
            large.model, *resolved,
            {"drop_core", "drop_qkv", "drop_qkv_norm", "drop_up", "drop_up_norm", "lean_mlp", "keep_all_norm"});
        QVERIFY2(formula, formula ? "" : formula.error().message.c_str());
        compare(large.model, *resolved, formula->costs);
    }

private:
    static void compare(const ModelConfig &model, const Workload &workload, const ChainCosts &costs)
    {
        static_cast<void>(engine()); // counts what is on the CPU
        static_cast<void>(held());   // and what has no memory
        const gpu::ParameterStore parameters(model, workload, c10::kMeta);
        gpu::TransformerModel network(model, workload, parameters, c10::kMeta);
        const auto type = at::TensorOptions().device(c10::kMeta).dtype(gpu::computeType(workload.dtype));
        int compared = 0;
        for (int stage = 1; stage < chainShape(model, workload).finalStage(); ++stage) {
            const StageCost &cost = costs.stages[std::size_t(stage)];
            for (const auto &[option, expected] : cost.options) {
                const at::Tensor x = at::empty({workload.batch, workload.seq, model.width}, type);
                const bool backward = workload.dropout == 0.0; // the meta device has no backward of a dropout
                const StageBytes seen = runStage(network, stage, option, x, backward);
                const QString where = QString("stage %1 %2: meta %3, formula %4").arg(stage).arg(option.c_str());
                QVERIFY2(seen.saved == expected.saved, qPrintable(where.arg(seen.saved).arg(expected.saved)));
                QVERIFY2(!backward || seen.gradients == cost.gradientGrowth,
                         qPrintable(where.arg(seen.gradients).arg(cost.gradientGrowth)));
                for (const at::Tensor &parameter : parameters.tensors())
                    parameter.mutable_grad().reset();
                ++compared;
            }
        }
        QVERIFY(compared >= 8 * model.layers);
    }
};

REMAT_TEST(tst_meta);
#include "tst_meta.moc"
