// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

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
    static void compareAll(const ModelConfig &model, const Workload &workload, const QString &where, bool lean)
    {
        const auto costs = engine().probe(model, workload, {});
        QVERIFY2(costs, costs ? "" : costs.error().message.c_str());
        const auto prepared = tests::prepared(model, workload);
        for (int i = 0; i < 2; ++i)
            QVERIFY(prepared->step(scheduleOf("none", model.layers), {}));
        for (const std::string &strategy : strategiesFor(model.layers)) {
            const QString problem
                = difference(*prepared, scheduleOf(strategy, model.layers, lean ? "lean_mlp" : ""), *costs);
            QVERIFY2(problem.isEmpty(), qPrintable(where + " " + strategy.c_str() + ": " + problem));
        }
    }
};

REMAT_TEST(tst_prediction);
#include "tst_prediction.moc"
