// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <thread>

#include "measure/recording.h"
#include "memory/recording_builder.h"
#include "memory/trace_recorder.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::gpu;

namespace {

/// A caching allocator of numbers: rounds blocks to 512 bytes and keeps what it reserved.
class FakeAllocator final : public DeviceAllocator
{
public:
    Statistics statistics() const override { return m_statistics; }
    void resetPeaks() override
    {
        m_statistics.requestedPeak = m_statistics.requested;
        m_statistics.allocatedPeak = m_allocated;
    }
    void emptyCache() override { ++emptied; }
    void setFraction(double value) override { fraction = value; }
    Bytes totalBytes() const override { return 1'000'000; }

    void allocate(TraceRecorder &recorder, std::uint64_t address, Bytes bytes)
    {
        m_statistics.requested += bytes;
        m_allocated += (bytes + 511) / 512 * 512;
        m_statistics.requestedPeak = std::max(m_statistics.requestedPeak, m_statistics.requested);
        m_statistics.allocatedPeak = std::max(m_statistics.allocatedPeak, m_allocated);
        m_statistics.reservedPeak = std::max(m_statistics.reservedPeak, m_allocated);
        recorder.onAllocation(address, bytes);
    }
    void release(TraceRecorder &recorder, std::uint64_t address, Bytes bytes)
    {
        m_statistics.requested -= bytes;
        m_allocated -= (bytes + 511) / 512 * 512;
        recorder.onRelease(address, bytes);
    }

    double fraction = 0;
    int emptied = 0;

private:
    Statistics m_statistics;
    Bytes m_allocated = 0;
};

const void *pointer(std::uint64_t address)
{
    return reinterpret_cast<const void *>(address);
}

OpRecord op(const char *code, Phase phase)
{
    OpRecord record;
    record.code = code;
    record.phase = phase;
    return record;
}

} // namespace

class tst_trace_recorder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recordedStep_equalsTheAllocatorsOwnStatistics()
    {
        FakeAllocator allocator;
        TraceRecorder recorder(allocator, 1000);
        allocator.allocate(recorder, 0x100, 4000); // a parameter
        allocator.allocate(recorder, 0x200, 300);  // a library's workspace
        recorder.declare(pointer(0x100), 4000, Category::parameter);
        const auto baseline = recorder.heldByCategory();
        QCOMPARE(baseline[std::size_t(Category::parameter)], 4000);
        QCOMPARE(baseline[std::size_t(Category::workspace)], 300);
        recorder.start();
        recorder.setOp(0, Phase::forward);
        allocator.allocate(recorder, 0x300, 1000);
        allocator.allocate(recorder, 0x400, 50);
        allocator.release(recorder, 0x400, 50);
        recorder.tag(pointer(0x300), Category::boundary);
        recorder.setOp(1, Phase::backward);
        std::thread([&] { allocator.allocate(recorder, 0x400, 700); }).join(); // the device's own thread
        allocator.release(recorder, 0x300, 1000);
        allocator.release(recorder, 0x400, 700);
        recorder.stop();
        allocator.allocate(recorder, 0x900, 9999); // after the step: not its business
        const Recording recording
            = buildRecording(recorder.log(), {op("F1", Phase::forward), op("B1", Phase::backward)}, baseline, 0);
        QCOMPARE(peaksOf(recording).peak, 6000);
        QCOMPARE(recording.events.size(), std::size_t(6));
        QVERIFY(recording.events[0].category == Category::boundary);
        QVERIFY(recording.events[1].category == Category::temporary);
        QCOMPARE(recording.events[3].op, 1U);
        QCOMPARE(recording.ops[1].peak, 6000);
    }

    void peaks_comeFromTheAllocator()
    {
        FakeAllocator allocator;
        TraceRecorder recorder(allocator, 1000);
        recorder.start();
        allocator.allocate(recorder, 0x100, 1000);
        recorder.stop();
        QCOMPARE(recorder.peak(), 1000);
        QCOMPARE(recorder.allocatorPeaks().allocated, 1024);
        QCOMPARE(recorder.allocatorPeaks().reserved, 1024);
    }

    void failure_isToldOnce()
    {
        FakeAllocator allocator;
        TraceRecorder recorder(allocator, 10);
        QCOMPARE(recorder.takeFailure().reserved, Bytes(-1));
        std::thread([&] { recorder.onFailure({100, 60, 20}); }).join(); // the device's own thread ran out
        QCOMPARE(recorder.takeFailure().largestFree, Bytes(20));
        QCOMPARE(recorder.takeFailure().reserved, Bytes(-1));
    }

    void budget_isAShareOfTheDevice()
    {
        FakeAllocator allocator;
        TraceRecorder recorder(allocator, 10);
        recorder.setBudget(250'000);
        QCOMPARE(allocator.fraction, 0.25);
        QCOMPARE(allocator.emptied, 1);
        recorder.setBudget(0);
        QCOMPARE(allocator.fraction, 1.0);
        QCOMPARE(recorder.budget(), 1'000'000);
        QCOMPARE(recorder.budgetKind(), std::string("reserved bytes"));
    }

    void events_offTheRecord_areNotWritten()
    {
        FakeAllocator allocator;
        TraceRecorder recorder(allocator, 10);
        for (int i = 0; i < 100; ++i)
            allocator.allocate(recorder, std::uint64_t(i), 8);
        QCOMPARE(recorder.log().size(), std::size_t(0));
        QVERIFY(!recorder.log().overflowed());
    }
};

REMAT_TEST(tst_trace_recorder);
#include "tst_trace_recorder.moc"
