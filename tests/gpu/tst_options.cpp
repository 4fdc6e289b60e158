// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <ATen/TensorOperators.h>

#include <limits>

#include "gpu/support/engine_fixture.h"
#include "stages/block_option.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

Proof prove(gpu::TorchWorkload &workload, const Schedule &schedule, bool asReference)
{
    auto proof = workload.prove(schedule, asReference);
    if (!proof)
        qFatal("%s", proof.error().message.c_str());
    return *proof;
}

/// Each option of each half alone, and pairs that share what they rebuild.
std::vector<std::string> selections()
{
    std::vector<std::string> all;
    for (const StageKind half : {StageKind::attention, StageKind::feedForward})
        for (const std::string_view id : optionIds(half))
            if (id != "keep_all")
                all.push_back("selective:" + std::string(id));
    all.insert(all.end(),
               {"selective:attention+mlp", "selective:drop_qkv_norm+drop_up_norm", "segments:2+selective:attention+mlp",
                "recursive+selective:drop_qkv+drop_up"});
    return all;
}

Bytes activationPeak(gpu::TorchWorkload &workload, const Schedule &schedule)
{
    const auto recorded = workload.recordStep(schedule, {});
    if (!recorded || recorded->outcome.status != RunStatus::done)
        qFatal("a recorded step did not end well");
    return peaksOf(recorded->recording).activationPeak;
}

} // namespace

/// Options inside a stage: the same gradients to the bit, fewer bytes.
class tst_options : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOption_dropoutOn_equalsNone_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("dtype");
        const auto models = allTinyModels(2);
        for (std::size_t i = 0; i < models.size(); ++i)
            for (const char *dtype : {"fp32", "bf16", "mixed-bf16"})
                QTest::addRow("%s %s", models[i].name.c_str(), dtype) << static_cast<int>(i) << QString(dtype);
    }
    void everyOption_dropoutOn_equalsNone()
    {
        QFETCH(int, model);
        QFETCH(QString, dtype);
        const ModelConfig config = allTinyModels(2)[std::size_t(model)].model;
        for (const auto &[kernel, attentionDropout] :
             {std::pair{AttentionKernel::sdpa, 0.0}, {AttentionKernel::sdpa, 0.1}, {AttentionKernel::math, 0.1}}) {
            if (kernel == AttentionKernel::sdpa && config.attentionSoftcap > 0)
                continue;
            Workload settings = tinyWorkload(config);
            settings.dtype = *dtypeFrom(dtype.toStdString());
            settings.attention = kernel;
            settings.dropout = 0.1;
            settings.attentionDropout = attentionDropout;
            compareAll(config, settings);
        }
    }

    /// keep_all_norm is for the halves that no other id of the string names, in whatever order they stand.
    void optionIds_ofOneStage_nameTheirHalves()
    {
        for (const char *text : {"drop_core+keep_all_norm", "keep_all_norm+drop_core"}) {
            const gpu::BlockOption option = gpu::blockOption(text);
            QVERIFY(option.attention.dropCore && !option.attention.norm && !option.attention.dropProjection);
            QVERIFY(option.feedForward.norm && !option.feedForward.dropActivation);
        }
        const gpu::BlockOption both = gpu::blockOption("drop_qkv_norm+drop_up");
        QVERIFY(both.attention.dropProjection && both.attention.norm && both.feedForward.dropUp);
        QVERIFY(!both.feedForward.norm);
        QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(gpu::blockOption("drop_all")));
    }

    void frozenParts_equalNone_data()
    {
        QTest::addColumn<QString>("train");
        for (const char *train : {"last:1", "last:3", "lora:2"})
            QTest::newRow(train) << QString(train);
    }
    void frozenParts_equalNone()
    {
        QFETCH(QString, train);
        for (const ModelConfig &model : {tinyLlama(3), tinyGpt(3), tinyPhi(3), tinyGemma2(3)}) {
            Workload settings = tinyWorkload(model);
            settings.dropout = 0.1;
            if (model.attentionSoftcap > 0)
                settings.attention = AttentionKernel::math;
            QVERIFY(parseTrain(train.toStdString(), settings));
            compareAll(model, settings);
        }
    }

    /// With explicit products, dropping the core saves the scores; with a fused kernel there is nothing to save.
    void dropCore_savesWithExplicitProductsOnly()
    {
        ModelConfig model = tinyGpt(4);
        model.positions = 128;
        for (const bool math : {true, false}) {
            Workload settings = tinyWorkload(model);
            settings.seq = 128;
            settings.dropout = 0.0;
            settings.attentionDropout = 0.0;
            settings.attention = math ? AttentionKernel::math : AttentionKernel::sdpa;
            const auto workload = prepared(model, settings);
            const auto none = activationPeak(*workload, scheduleOf("none", model.layers));
            const auto selective = activationPeak(*workload, scheduleOf("selective:attention", model.layers));
            if (math)
                QVERIFY2(10 * selective < 7 * none, qPrintable(QString("%1 of %2").arg(selective).arg(none)));
            else
                QVERIFY2(20 * selective > 19 * none, qPrintable(QString("%1 of %2").arg(selective).arg(none)));
        }
    }

    /// Each step of an option ladder keeps less than the one before.
    void ladders_keepLessAndLess()
    {
        const ModelConfig model = tinyLlama(4);
        Workload settings = tinyWorkload(model);
        settings.attention = AttentionKernel::math;
        const auto workload = prepared(model, settings);
        for (const auto &ladder :
             {std::vector<std::string>{"none", "selective:lean_mlp", "selective:drop_up", "selective:drop_up_norm"},
              std::vector<std::string>{"none", "selective:drop_core", "selective:drop_qkv",
                                       "selective:drop_qkv_norm"}}) {
            Bytes last = std::numeric_limits<Bytes>::max();
            for (const std::string &step : ladder) {
                const Bytes peak = activationPeak(*workload, scheduleOf(step, model.layers));
                QVERIFY2(peak < last, qPrintable(QString("%1: %2, before %3").arg(step.c_str()).arg(peak).arg(last)));
                last = peak;
            }
        }
    }

    void chunkedLoss_equalsTheWholeToRounding()
    {
        for (const ModelConfig &model : {tinyGpt(2), tinyBert(2), tinyGemma2(2)}) {
            Workload whole = tinyWorkload(model);
            whole.attention = AttentionKernel::math;
            Workload chunked = whole;
            chunked.lossChunks = 5;
            for (Workload *settings : {&whole, &chunked}) {
                settings->optimizer = OptimizerKind::none;
                settings->gradients = GradientRule::kept;
            }
            // The generator is the process's: each is seeded and run before the next one is made.
            const auto reference = prepared(model, whole);
            const double loss = reference->step(scheduleOf("none", model.layers), {})->loss;
            const auto parts = prepared(model, chunked);
            const double inParts = parts->step(scheduleOf("none", model.layers), {})->loss;
            QVERIFY2(std::abs(inParts - loss) < 1e-5,
                     qPrintable(QString("%1: %2, %3").arg(model.family.c_str()).arg(inParts).arg(loss)));
            const auto &expected = reference->parameters().tensors();
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const at::Tensor difference = parts->parameters().tensors()[i].grad() - expected[i].grad();
                QVERIFY(difference.abs().max().item<double>() < 1e-6);
            }
            QVERIFY(parts->reset());
            prove(*parts, scheduleOf("none", model.layers), true);
            QCOMPARE(prove(*parts, scheduleOf("every:1", model.layers), false).differingElements, 0);
        }
    }

private:
    static void compareAll(const ModelConfig &model, const Workload &settings)
    {
        const auto workload = prepared(model, settings);
        const ChainShape shape = chainShape(model, settings);
        prove(*workload, scheduleOf("none", shape), true);
        for (const std::string &selection : selections()) {
            const Proof proof = prove(*workload, scheduleOf(selection, shape), false);
            QVERIFY2(proof.differingElements == 0,
                     qPrintable(QString("%1: first in %2, largest %3")
                                    .arg(selection.c_str(), proof.firstDifference.c_str())
                                    .arg(proof.maxAbsDiff)));
        }
    }
};

REMAT_TEST(tst_options);
#include "tst_options.moc"
