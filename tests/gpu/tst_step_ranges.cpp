// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "timing/step_ranges.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gpu/support/engine_fixture.h"
#include "memory/cpu_account.h"
#include "support/test_registry.h"
#include "timing/event_times.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

/// Keeps the names of ranges in the order in which they were opened, and how deep each was.
class FakeMarker final : public gpu::RangeMarker
{
public:
    void push(const std::string &name) override { names.push_back(std::string(std::size_t(depth++), '>') + name); }
    void pop() override { --depth; }
    [[nodiscard]] int count(const std::string &name) const { return int(std::count(names.begin(), names.end(), name)); }

    std::vector<std::string> names;
    int depth = 0;
};

/// The CPU with an attached profiler.
class WatchedCpu final : public gpu::DeviceParts
{
public:
    explicit WatchedCpu(gpu::RangeMarker &marker) : m_marker(marker) { }
    [[nodiscard]] c10::Device device() const override { return cpuDevice().device(); }
    [[nodiscard]] gpu::MemoryRecorder &recorder() override { return cpuDevice().recorder(); }
    [[nodiscard]] gpu::StepTimer &timer() override { return cpuDevice().timer(); }
    [[nodiscard]] DeviceInfo info() const override { return cpuDevice().info(); }
    void describe(Environment &environment) const override { cpuDevice().describe(environment); }
    [[nodiscard]] MemoryPressure pressure() const override { return cpuDevice().pressure(); }
    [[nodiscard]] gpu::RangeMarker *ranges() override { return &m_marker; }

private:
    gpu::RangeMarker &m_marker;
};

OpRecord record(const char *code, int stage, Phase phase)
{
    OpRecord op;
    op.code = code;
    op.stage = stage;
    op.phase = phase;
    return op;
}

} // namespace

class tst_step_ranges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void name_isLayerHalfAndPhase()
    {
        const auto stages = stagesOf(ChainShape(4));
        QCOMPARE(gpu::rangeName(stages, record("E8", 8, Phase::recompute)),
                 std::string("layer 3 · feed-forward · recompute"));
        QCOMPARE(gpu::rangeName(stages, record("B1", 1, Phase::backward)),
                 std::string("layer 0 · attention · backward"));
        QCOMPARE(gpu::rangeName(stages, record("F0", 0, Phase::forward)), std::string("embedding · forward"));
        QCOMPARE(gpu::rangeName(stages, record("L", 10, Phase::loss)), std::string("head and loss"));
        QCOMPARE(gpu::rangeName(stages, record("optimizer", -1, Phase::optimizer)), std::string("optimizer"));
    }

    void wanted_followsTheToolAndTheWord_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("tool");
        QTest::addColumn<bool>("wanted");
        QTest::newRow("nobody") << ""
                                << "" << false;
        QTest::newRow("a tool") << ""
                                << "/opt/tool.so" << true;
        QTest::newRow("asked") << "1"
                               << "" << true;
        QTest::newRow("forbidden") << "0"
                                   << "/opt/tool.so" << false;
    }
    void wanted_followsTheToolAndTheWord()
    {
        QFETCH(QString, asked);
        QFETCH(QString, tool);
        QFETCH(bool, wanted);
        std::map<std::string, std::string> variables;
        if (!asked.isEmpty())
            variables["REMAT_NVTX"] = asked.toStdString();
        if (!tool.isEmpty())
            variables["NVTX_INJECTION64_PATH"] = tool.toStdString();
        const auto lookUp = [&](const char *name) -> const char * {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        };
        QCOMPARE(gpu::rangesWanted(lookUp), wanted);
    }

    void step_opensOneRangePerOp_andClosesAll()
    {
        FakeMarker marker;
        WatchedCpu device(marker);
        const ModelConfig model = tinyGpt(2);
        const auto workload = gpu::TorchWorkload::make(model, tinyWorkload(model), device).value();
        QVERIFY(workload->step(scheduleOf("every:1", 2), {})->status == RunStatus::done);
        QCOMPARE(marker.depth, 0);
        for (const char *name : {"layer 1 · feed-forward · forward", "layer 1 · feed-forward · recompute",
                                 "layer 1 · feed-forward · backward", "head and loss", "optimizer"})
            QVERIFY2(marker.count(name) == 1, name);
        marker.names.clear();
        QVERIFY(workload->step(scheduleOf("selective:mlp", 2), {})->status == RunStatus::done);
        QCOMPARE(marker.count("layer 0 · feed-forward · recompute"), 0);
        QCOMPARE(marker.count(">layer 0 · feed-forward · recompute"), 1); // inside the backward's range
        QCOMPARE(marker.depth, 0);
    }

    void failedStep_closesItsRange()
    {
        FakeMarker marker;
        WatchedCpu device(marker);
        const ModelConfig model = tinyGpt(2);
        const auto workload = gpu::TorchWorkload::make(model, tinyWorkload(model), device).value();
        for (const std::int64_t n : {40, 90, 140}) {
            gpu::CpuAccount::instance().failAllocation(n);
            QVERIFY(workload->step(scheduleOf("selective:mlp", 2), {})->status == RunStatus::doesNotFit);
            gpu::CpuAccount::instance().failAllocation(0);
            QCOMPARE(marker.depth, 0);
        }
    }

    void times_ofALongStep_keepTheirShortParts()
    {
        // Parts of 1.5 µs after 20 s: a float since the first mark holds steps of 2 µs there and would show 0 or 2.
        std::vector<double> ms{0.0, 20'000.0};
        for (int i = 0; i < 1000; ++i)
            ms.push_back(ms.back() + 0.0015);
        const auto between = [&](std::size_t from, std::size_t to) { return float(ms[to] - ms[from]); };
        const auto times = gpu::timesSinceFirst(ms.size(), between);
        QCOMPARE(times.size(), ms.size());
        QCOMPARE(times[0], 0);
        QCOMPARE(times[1], 20'000'000'000);
        for (std::size_t i = 2; i < times.size(); ++i)
            QVERIFY(std::llabs(times[i] - times[i - 1] - 1500) <= 1);
        QVERIFY(std::llabs(times.back() - 20'001'500'000) <= 2);
        QVERIFY(gpu::timesSinceFirst(0, between).empty());
    }
};

REMAT_TEST(tst_step_ranges);
#include "tst_step_ranges.moc"
