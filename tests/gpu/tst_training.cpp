// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>

#include <limits>

#include "gpu/support/engine_fixture.h"
#include "memory/cpu_account.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

/// A model whose third stage hands its input on: its parameters take no part.
class SkippingStages final : public gpu::StageProvider
{
public:
    explicit SkippingStages(gpu::StageProvider &inner) : m_inner(inner) { }
    at::Tensor runStage(int stage, const at::Tensor &input, const std::string &option, bool noOutput) override
    {
        return stage == 3 ? input.clone() : m_inner.runStage(stage, input, option, noOutput);
    }
    at::Tensor runLoss(const at::Tensor &input) override { return m_inner.runLoss(input); }
    void keepLoss(const at::Tensor &loss) override { m_inner.keepLoss(loss); }
    bool drawsRandomNumbers(int stage) const override { return m_inner.drawsRandomNumbers(stage); }

private:
    gpu::StageProvider &m_inner;
};

ModelConfig untied(ModelConfig model)
{
    model.tiedHead = false;
    return model;
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor> &tensors)
{
    std::vector<at::Tensor> all;
    for (const at::Tensor &tensor : tensors)
        all.push_back(tensor.detach().clone());
    return all;
}

std::vector<at::Tensor> trainedFor(int steps, const ModelConfig &model, const Workload &settings,
                                   const std::string &strategy)
{
    const auto workload = prepared(model, settings);
    const Schedule schedule = scheduleOf(strategy, chainShape(model, settings));
    for (int i = 0; i < steps; ++i) {
        const auto outcome = workload->step(schedule, {});
        if (!outcome || outcome->status != RunStatus::done)
            qFatal("a step did not end well");
    }
    return copies(workload->parameters().tensors());
}

bool sameBits(const std::vector<at::Tensor> &a, const std::vector<at::Tensor> &b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!at::equal(a[i], b[i]))
            return false;
    return true;
}

double largestDifference(const std::vector<at::Tensor> &a, const std::vector<at::Tensor> &b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, (a[i] - b[i]).abs().max().item<double>());
    return largest;
}

} // namespace

/// What surrounds the schedule in a step: updates, frozen parts, the loss scale, and many steps in a row.
class tst_training : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void updateInBackward_equalsUpdateAfter_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char *optimizer : {"sgd", "sgd:0.9", "adamw", "adamw-per-tensor"})
            QTest::newRow(optimizer) << QString(optimizer);
    }
    void updateInBackward_equalsUpdateAfter()
    {
        QFETCH(QString, optimizer);
        const ModelConfig model = untied(tinyLlama(3));
        Workload after = tinyWorkload(model);
        QVERIFY(parseOptimizer(optimizer.toStdString(), after));
        Workload during = after;
        during.updateInBackward = true;
        const auto expected = trainedFor(5, model, after, "none");
        for (const char *strategy : {"none", "every:1", "segments:2+selective:attention+mlp"})
            QVERIFY2(sameBits(trainedFor(5, model, during, strategy), expected), strategy);
    }

    void adamwPerTensor_equalsTheFusedOneToRounding()
    {
        const ModelConfig model = tinyGpt(2);
        const Workload fused = tinyWorkload(model);
        Workload apart = fused;
        apart.optimizer = OptimizerKind::adamwPerTensor;
        const auto a = trainedFor(4, model, fused, "none");
        const auto b = trainedFor(4, model, apart, "none");
        QVERIFY2(largestDifference(a, b) < 1e-5, qPrintable(QString::number(largestDifference(a, b))));
        QVERIFY(largestDifference(a, trainedFor(1, model, fused, "none")) > 1e-5);
    }

    void frozenParts_stayAsTheyAre_data()
    {
        QTest::addColumn<QString>("train");
        QTest::newRow("last") << "last:1";
        QTest::newRow("lora") << "lora:2";
    }
    void frozenParts_stayAsTheyAre()
    {
        QFETCH(QString, train);
        const ModelConfig model = untied(tinyGpt(3));
        Workload settings = tinyWorkload(model);
        QVERIFY(parseTrain(train.toStdString(), settings));
        const auto workload = prepared(model, settings);
        const auto before = copies(workload->parameters().tensors());
        for (int i = 0; i < 3; ++i)
            QVERIFY(workload->step(scheduleOf("every:1", chainShape(model, settings)), {}));
        const auto &inventory = workload->parameters().inventory();
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY2(at::equal(before[i], workload->parameters().tensors()[i]) != inventory[i].trainable,
                     inventory[i].name.c_str());
    }

    void parametersWithoutAGradient_areCounted()
    {
        const ModelConfig model = tinyLlama(2);
        const auto workload = prepared(model, tinyWorkload(model));
        QCOMPARE(workload->prove(scheduleOf("none", 2), true)->missingGradients, 0);
        SkippingStages skipping(workload->model());
        workload->wrapStages(&skipping);
        const auto proof = workload->prove(scheduleOf("none", 2), false);
        QVERIFY(proof->missingGradients > 2);
        QVERIFY(proof->firstMissing.starts_with("layers.1.attention."));
    }

    /// Negative stands for the config's two dropouts, which one number cannot say where they differ.
    void dropoutsOfTheConfig_areRun()
    {
        ModelConfig model = tinyGpt(2);
        std::vector<double> losses;
        for (const auto &[embedding, residual] : {std::pair{0.0, 0.0}, {0.0, 0.1}, {0.1, 0.0}}) {
            model.embeddingDropout = embedding;
            model.residualDropout = residual;
            Workload settings = tinyWorkload(model);
            settings.dropout = -1.0;
            const auto workload = prepared(model, settings);
            losses.push_back(workload->prove(scheduleOf("none", 2), true)->outcome.loss);
            QCOMPARE(workload->prove(scheduleOf("every:1", 2), false)->differingElements, 0);
        }
        QVERIFY(losses[0] != losses[1] && losses[1] != losses[2] && losses[0] != losses[2]);
    }

    void split_addsUpAndNamesWhatIsRecomputed()
    {
        const ModelConfig model = tinyPhi(3);
        Workload settings = tinyWorkload(model);
        settings.lossChunks = 3;
        const auto workload = prepared(model, settings);
        const auto splitOf = [&](const char *strategy) {
            const Schedule schedule = scheduleOf(strategy, chainShape(model, settings));
            if (!workload->step(schedule, {}))
                qFatal("a step failed");
            return workload->step(schedule, {})->split;
        };
        for (const char *strategy : {"none", "every:1", "selective:mlp", "selective:attention"}) {
            const StepSplit split = splitOf(strategy);
            QVERIFY2(split.other >= 0, strategy);
            QVERIFY2(split.loss > 0, strategy);
            QCOMPARE(split.step,
                     split.forward + split.recompute + split.backward + split.loss + split.optimizer + split.other);
            QVERIFY(split.recomputeAttention + split.recomputeFeedForward + split.recomputeNorm <= split.recompute);
        }
        const StepSplit mlp = splitOf("selective:mlp"); // what lies between two marks goes to the block's first half
        QVERIFY(mlp.recomputeFeedForward > 2 * mlp.recomputeAttention);
        QVERIFY(splitOf("selective:attention").recomputeAttention > 0);
        QCOMPARE(splitOf("none").recomputeFeedForward, 0);
    }

    /// The scaler's arithmetic runs on any device, although the type itself is refused on the CPU.
    void lossScale_skipsWhatIsNotFinite()
    {
        const ModelConfig model = tinyGpt(1);
        Workload settings = tinyWorkload(model);
        settings.dtype = Dtype::mixedFp16;
        at::Tensor parameter = at::ones({4}).requires_grad_(true);
        at::Tensor scale = at::ones({});
        gpu::Optimizer optimizer(settings, {parameter}, scale);
        QCOMPARE(scale.item<float>(), 65536.0F);
        const auto update = [&](double gradient) {
            parameter.mutable_grad() = at::ones_like(parameter.detach()) * gradient;
            optimizer.unscale();
            optimizer.createState();
            optimizer.step();
        };
        update(std::numeric_limits<double>::infinity());
        QVERIFY(optimizer.skippedLast());
        QVERIFY(at::equal(parameter.detach(), at::ones({4})));
        QCOMPARE(scale.item<float>(), 32768.0F);
        update(32768.0); // a gradient of 1 in scaled form
        QVERIFY(!optimizer.skippedLast());
        QCOMPARE(parameter.grad().max().item<float>(), 1.0F);
        QVERIFY(parameter.detach().max().item<double>() < 1.0);
    }

    void twoHundredSteps_holdTheSame()
    {
        for (const ModelConfig &model : {tinyGpt(2), tinyMixtral(2)}) {
            const auto workload = prepared(model, tinyWorkload(model));
            const gpu::CpuAccount &account = gpu::CpuAccount::instance();
            Bytes held = 0;
            for (int i = 0; i < 200; ++i) {
                const char *strategy = i % 2 == 0 ? "every:1" : "selective:attention+mlp";
                if (i % 10 == 9)
                    QVERIFY(workload->recordStep(scheduleOf(strategy, 2), {}));
                else
                    QVERIFY(workload->step(scheduleOf(strategy, 2), {}));
                if (i == 2)
                    held = account.held();
                if (i > 2)
                    QCOMPARE(account.held(), held);
            }
        }
    }
};

REMAT_TEST(tst_training);
#include "tst_training.moc"
