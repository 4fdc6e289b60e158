// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <set>

#include "gpu/support/engine_fixture.h"
#include "schedule/simulator.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

Bytes bytesOfCategory(const Recording &recording, Category category)
{
    Bytes sum = recording.baseline[std::size_t(category)];
    for (const MemoryEvent &event : recording.events)
        sum += event.category == category ? std::abs(event.bytes) : 0;
    return sum;
}

/// Runs a strategy and compares every op of the recorded step with the simulated one.
QString difference(gpu::TorchWorkload &workload, const Schedule &schedule, const ChainCosts &costs)
{
    const auto simulated = simulate(schedule, costs);
    const auto recorded = workload.recordStep(schedule, {});
    if (!simulated || !recorded || recorded->outcome.status != RunStatus::done)
        return "did not run";
    const RecordingPeaks peaks = peaksOf(recorded->recording);
    if (recorded->staticBytes != costs.staticBytes)
        return QString("static %1, predicted %2").arg(recorded->staticBytes).arg(costs.staticBytes);
    if (peaks.peak != simulated->peak)
        return QString("peak %1, predicted %2").arg(peaks.peak).arg(simulated->peak);
    if (peaks.activationPeak != simulated->activationPeak)
        return QString("activation peak %1, predicted %2").arg(peaks.activationPeak).arg(simulated->activationPeak);
    if (const Bytes other = bytesOfCategory(recorded->recording, Category::other); other != 0)
        return QString("%1 bytes of no category").arg(other);
    std::size_t at = 0;
    for (const OpRecord &op : recorded->recording.ops) {
        if (op.code == "zero" || op.code == "clip")
            continue;
        const SimulatedOp &expected = simulated->ops[at++];
        if (op.heldBefore != expected.heldBefore || op.heldAfter != expected.heldAfter)
            return QString("held around %1 differs by %2").arg(op.code.c_str()).arg(op.heldAfter - expected.heldAfter);
        if (op.code != "optimizer" && op.peak != expected.peak)
            return QString("peak of %1 differs by %2").arg(op.code.c_str()).arg(op.peak - expected.peak);
    }
    return {};
}

} // namespace

class tst_prediction : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyStrategy_isExactToTheByte_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("threads");
        for (const int layers : {2, 3, 7, 24})
            for (const int threads : {1, 2})
                QTest::addRow("%d layers, %d threads", layers, threads) << layers << threads;
    }
    void everyStrategy_isExactToTheByte()
    {
        QFETCH(int, layers);
        QFETCH(int, threads);
        const ModelConfig model = tinyGpt(layers);
        // The deep models take every fifth setting: all values of each switch still occur.
        for (int setting = 0; setting<16; setting += layers> 7 ? 5 : 1) {
            Workload workload = tinyWorkload(model);
            workload.threads = threads;
            workload.dtype = setting & 1 ? Dtype::bf16 : Dtype::fp32;
            workload.dropout = setting & 2 ? 0.1 : 0.0;
            workload.gradients = setting & 4 ? GradientRule::kept : GradientRule::freed;
            workload.microBatches = setting & 8 ? 3 : 1;
            compareAll(model, workload, QString("setting %1").arg(setting), setting % 3 == 0);
        }
    }

    void otherModels_areExactToTheByte_data()
    {
        QTest::addColumn<int>("model");
        QTest::newRow("llama") << 0;
        QTest::newRow("gemma") << 1;
        QTest::newRow("qwen3") << 2;
    }
    void otherModels_areExactToTheByte()
    {
        QFETCH(int, model);
        const ModelConfig config = model == 0 ? tinyLlama(4) : model == 1 ? tinyGemma(4) : tinyQwen3(4);
        for (const bool math : {false, true}) {
            for (const int microBatches : {1, 3}) {
                Workload workload = tinyWorkload(config);
                workload.attention = math ? AttentionKernel::math : AttentionKernel::sdpa;
                workload.microBatches = microBatches;
                compareAll(config, workload, math ? "math" : "sdpa", true);
            }
        }
    }

    /// Every block kind, every option of both halves at once, with and without recomputation around it.
    void everyModelAndOption_isExactToTheByte_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("dtype");
        const auto models = allTinyModels(3);
        for (std::size_t i = 0; i < models.size(); ++i)
            for (const char *dtype : {"fp32", "bf16", "mixed-bf16"})
                QTest::addRow("%s %s", models[i].name.c_str(), dtype) << static_cast<int>(i) << QString(dtype);
    }
    void everyModelAndOption_isExactToTheByte()
    {
        QFETCH(int, model);
        QFETCH(QString, dtype);
        const ModelConfig config = allTinyModels(3)[std::size_t(model)].model;
        for (const AttentionKernel kernel : {AttentionKernel::sdpa, AttentionKernel::math}) {
            if (kernel == AttentionKernel::sdpa && config.attentionSoftcap > 0)
                continue;
            if (dtype == (kernel == AttentionKernel::math ? "bf16" : "mixed-bf16") && config.attentionSoftcap == 0)
                continue; // each type with one kernel at least, fp32 with both
            Workload workload = tinyWorkload(config);
            workload.dtype = *dtypeFrom(dtype.toStdString());
            workload.attention = kernel;
            workload.dropout = 0.1;
            workload.microBatches = kernel == AttentionKernel::math ? 2 : 1;
            compare(config, workload, kernel == AttentionKernel::math ? "math" : "sdpa", optionStrategies());
        }
    }

    void frozenParts_areExactToTheByte_data()
    {
        QTest::addColumn<QString>("train");
        QTest::addColumn<QString>("dtype");
        for (const char *train : {"last:1", "last:2", "last:4", "lora:2"})
            for (const char *dtype : {"fp32", "mixed-bf16"})
                QTest::addRow("%s %s", train, dtype) << QString(train) << QString(dtype);
    }
    void frozenParts_areExactToTheByte()
    {
        QFETCH(QString, train);
        QFETCH(QString, dtype);
        for (const ModelConfig &model : {tinyLlama(4), tinyGpt(4), tinyPhi(4), tinyBert(4), tinyMixtral(4)}) {
            Workload workload = tinyWorkload(model);
            workload.dtype = *dtypeFrom(dtype.toStdString());
            QVERIFY(parseTrain(train.toStdString(), workload));
            compare(model, workload, model.family.c_str(), optionStrategies());
        }
    }

    /// Without dropout the pooler's tanh is what the head reads, and its graph keeps it.
    void sequenceHeads_keepTheirLastBoundary()
    {
        const ModelConfig model = tinyClassifier(3);
        for (const double dropout : {0.0, 0.1})
            for (const int microBatches : {1, 2}) {
                Workload workload = tinyWorkload(model);
                workload.dropout = dropout;
                workload.microBatches = microBatches;
                const QString where = QString("dropout %1, %2 micro-batches").arg(dropout).arg(microBatches);
                compareAll(model, workload, where, false);
            }
    }

    void chunkedLossAndUpdates_areExactToTheByte()
    {
        ModelConfig model = tinyGpt(3);
        model.tiedHead = false;
        Workload chunked = tinyWorkload(model);
        chunked.lossChunks = 3;
        compareAll(model, chunked, "chunked loss", false);
        for (const char *optimizer : {"sgd", "sgd:0.9", "adamw", "adamw-per-tensor"}) {
            Workload updating = tinyWorkload(model);
            QVERIFY(parseOptimizer(optimizer, updating));
            updating.updateInBackward = true;
            compareAll(model, updating, QString("update in backward, ") + optimizer, false);
        }
    }

    void otherOptimizers_areExactToTheByte_data()
    {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<double>("clip");
        QTest::newRow("none") << "none" << 0.0;
        QTest::newRow("sgd") << "sgd" << 0.0;
        QTest::newRow("sgd with momentum") << "sgd:0.9" << 0.0;
        QTest::newRow("adamw with clipping") << "adamw" << 0.5;
    }
    void otherOptimizers_areExactToTheByte()
    {
        QFETCH(QString, optimizer);
        QFETCH(double, clip);
        const ModelConfig model = tinyGpt(3);
        Workload workload = tinyWorkload(model);
        workload.clip = clip;
        QVERIFY(parseOptimizer(optimizer.toStdString(), workload));
        compareAll(model, workload, optimizer, false);
    }

private:
    static std::vector<std::string> optionStrategies()
    {
        std::vector<std::string> all = {"none", "every:1", "segments:2", "recursive", "halves"};
        for (const char *option : {"attention", "mlp", "attention+mlp", "keep_all_norm", "drop_core_norm+lean_mlp_norm",
                                   "drop_qkv+drop_up", "drop_qkv_norm+drop_up_norm"}) {
            all.push_back(std::string("selective:") + option);
            all.push_back(std::string("segments:2+selective:") + option);
        }
        return all;
    }

    static void compareAll(const ModelConfig &model, const Workload &workload, const QString &where, bool lean)
    {
        std::vector<std::string> strategies;
        for (const std::string &strategy : strategiesFor(model.layers))
            strategies.push_back(strategy + (lean ? "+selective:mlp" : ""));
        compare(model, workload, where, strategies);
    }

    static void compare(const ModelConfig &model, const Workload &workload, const QString &where,
                        const std::vector<std::string> &strategies)
    {
        const ChainShape shape = chainShape(model, workload);
        std::set<std::string> options;
        for (const std::string &strategy : strategies)
            for (const Op &op : scheduleOf(strategy, shape).ops)
                if (!op.option.empty())
                    options.insert(op.option);
        const auto costs = engine().probe(model, workload, {options.begin(), options.end()}, {});
        QVERIFY2(costs, costs ? "" : qPrintable(where + ": " + costs.error().message.c_str()));
        const auto prepared = tests::prepared(model, workload);
        for (int i = 0; i < 2; ++i)
            QVERIFY(prepared->step(scheduleOf("none", shape), {}));
        for (const std::string &strategy : strategies) {
            const QString problem = difference(*prepared, scheduleOf(strategy, shape), *costs);
            QVERIFY2(problem.isEmpty(), qPrintable(where + " " + strategy.c_str() + ": " + problem));
        }
    }
};

REMAT_TEST(tst_prediction);
#include "tst_prediction.moc"
