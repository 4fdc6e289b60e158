// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "memory/recording_builder.h"
#include "support/test_registry.h"

using namespace remat::core;
using remat::gpu::buildRecording;
using remat::gpu::MemoryEventLog;
using remat::gpu::RawEvent;

namespace {

RawEvent allocation(std::uint64_t block, Bytes bytes, std::uint32_t op)
{
    RawEvent event;
    event.block = block;
    event.bytes = bytes;
    event.op = op;
    return event;
}
RawEvent release(std::uint64_t block, Bytes bytes, std::uint32_t op)
{
    RawEvent event = allocation(block, -bytes, op);
    event.kind = RawEvent::Kind::release;
    return event;
}
RawEvent tag(std::uint64_t block, Category category, std::uint32_t op)
{
    RawEvent event = allocation(block, 0, op);
    event.kind = RawEvent::Kind::tag;
    event.category = category;
    return event;
}
OpRecord op(const char *code, Phase phase)
{
    OpRecord record;
    record.code = code;
    record.phase = phase;
    return record;
}

} // namespace

class tst_recording_builder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void categories_followFromTheOp()
    {
        MemoryEventLog log(100);
        log.append(allocation(1, 10, 0)); // outlives its first ForwardSave
        log.append(allocation(2, 5, 0));  // does not
        log.append(release(2, 5, 0));
        log.append(allocation(3, 7, 1)); // in the loss
        log.append(release(3, 7, 1));
        log.append(allocation(4, 20, 2)); // outlives a second ForwardSave
        log.append(allocation(5, 3, 3));  // handed on by a backward
        log.append(tag(5, Category::activationGradient, 3));
        log.append(release(4, 20, 3));
        log.append(release(1, 10, 3));
        const Recording recording = buildRecording(
            log,
            {op("E1", Phase::forward), op("L", Phase::loss), op("E2", Phase::recompute), op("B2", Phase::backward)}, {},
            0);
        const auto category = [&](std::size_t event) { return recording.events[event].category; };
        QCOMPARE(recording.events.size(), std::size_t(9));
        QVERIFY(category(0) == Category::savedActivation);
        QVERIFY(category(1) == Category::temporary);
        QVERIFY(category(3) == Category::logitsAndLoss);
        QVERIFY(category(5) == Category::recomputedActivation);
        QVERIFY(category(6) == Category::activationGradient);
        QVERIFY(category(8) == Category::savedActivation);
        QCOMPARE(recording.ops[0].peak, 15);
        QCOMPARE(recording.ops[1].peak, 17);
        QCOMPARE(recording.ops[3].heldAfter, 3);
    }

    void address_usedAgain_isAnotherBlock()
    {
        MemoryEventLog log(100);
        log.append(allocation(0xa0, 10, 0));
        log.append(tag(0xa0, Category::boundary, 0));
        log.append(release(0xa0, 10, 1));
        log.append(allocation(0xa0, 10, 1));
        log.append(release(0xa0, 10, 1));
        const Recording recording = buildRecording(log, {op("F0", Phase::forward), op("F1", Phase::forward)}, {}, 0);
        QVERIFY(recording.events[1].block != recording.events[2].block);
        QVERIFY(recording.events[0].category == Category::boundary);
        QVERIFY(recording.events[2].category == Category::temporary);
    }

    void blockFromBefore_keepsItsCategory_andOpsWithoutEventsAreFilled()
    {
        MemoryEventLog log(100);
        RawEvent freed = release(7, 40, 2);
        freed.category = Category::parameterGradient;
        log.append(freed);
        std::array<Bytes, kCategoryCount> baseline{};
        baseline[std::size_t(Category::parameterGradient)] = 40;
        baseline[std::size_t(Category::workerScratch)] = 1000; // no part of held bytes
        const Recording recording = buildRecording(
            log, {op("zero", Phase::other), op("E0", Phase::forward), op("L", Phase::loss), op("B0", Phase::backward)},
            baseline, 0);
        QVERIFY(recording.events[0].category == Category::parameterGradient);
        QCOMPARE(recording.ops[0].heldBefore, 40);
        QCOMPARE(recording.ops[1].peak, 40);
        QCOMPARE(recording.ops[2].heldAfter, 0);
        QCOMPARE(recording.ops[3].peak, 0);
    }
};

REMAT_TEST(tst_recording_builder);
#include "tst_recording_builder.moc"
