// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <thread>

#include "gpu/support/engine_fixture.h"
#include "memory/cpu_account.h"
#include "memory/cpu_allocator.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

class tst_recorder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recording_anyStrategy_accountsForEveryByte_data()
    {
        QTest::addColumn<QString>("strategy");
        for (const char *strategy : {"none", "every:2", "segments:2", "recursive"})
            QTest::newRow(strategy) << strategy;
    }
    void recording_anyStrategy_accountsForEveryByte()
    {
        QFETCH(QString, strategy);
        const ModelConfig model = tinyLlama(4);
        const auto workload = prepared(model, tinyWorkload(model));
        const Schedule schedule = scheduleOf(strategy.toStdString() + "+selective:mlp", 4);
        for (int i = 0; i < 2; ++i)
            QVERIFY(workload->step(schedule, {}));
        const auto recorded = workload->recordStep(schedule, {});
        QVERIFY(recorded);
        const Recording &recording = recorded->recording;
        std::array<Bytes, kCategoryCount> held = recording.baseline;
        std::map<std::uint32_t, Bytes> alive;
        Nanoseconds last = 0;
        for (const MemoryEvent &event : recording.events) {
            held[std::size_t(event.category)] += event.bytes;
            alive[event.block] += event.bytes;
            QVERIFY(held[std::size_t(event.category)] >= 0);
            QVERIFY(event.category != Category::other);
            QVERIFY(event.op < recording.ops.size());
            QVERIFY(event.ns >= last);
            last = event.ns;
        }
        // After the step everything but parameters, optimizer state, batch and constants is gone.
        QCOMPARE(held, recording.baseline);
        for (std::size_t i = 0; i < held.size(); ++i)
            if (isActivation(Category(i)))
                QCOMPARE(held[i], 0);
        QVERIFY(recording.names.size() > 10);
        checkOps(recording, strategy != "none");
    }

    void scope_recomputedActivations_appearOnlyWhereRecomputed()
    {
        const ModelConfig model = tinyGpt(3);
        const auto workload = prepared(model, tinyWorkload(model));
        const auto has = [&](const std::string &strategy, const std::string &option, Category category) {
            const auto recorded = workload->recordStep(scheduleOf(strategy + option, 3), {});
            for (const MemoryEvent &event : recorded->recording.events)
                if (event.category == category)
                    return true;
            return false;
        };
        QVERIFY(workload->step(scheduleOf("none", 3), {}));
        QVERIFY(!has("none", "", Category::recomputedActivation));
        QVERIFY(has("none", "+selective:mlp", Category::recomputedActivation));
        QVERIFY(has("every:1", "", Category::recomputedActivation));
        QVERIFY(has("every:1", "", Category::boundary));
        QVERIFY(!has("none", "", Category::boundary));
    }

    void workerThread_allocations_areCountedApart()
    {
        static_cast<void>(engine());
        gpu::CpuAccount &account = gpu::CpuAccount::instance();
        const Bytes held = account.held();
        const Bytes scratch = account.heldByCategory()[std::size_t(Category::workerScratch)];
        gpu::BlockHeader header;
        std::thread([&] { QVERIFY(account.add(1000, header)); }).join();
        QCOMPARE(account.held(), held);
        QCOMPARE(account.heldByCategory()[std::size_t(Category::workerScratch)], scratch + 1000);
        account.remove(header);
        QCOMPARE(account.heldByCategory()[std::size_t(Category::workerScratch)], scratch);
    }

    void log_overflowing_isNoticed()
    {
        gpu::MemoryEventLog log(3);
        for (int i = 0; i < 3; ++i)
            log.append({});
        QVERIFY(!log.overflowed());
        log.append({});
        QVERIFY(log.overflowed());
        QCOMPARE(log.size(), std::size_t(3));
    }

private:
    static void checkOps(const Recording &recording, bool recomputes)
    {
        Nanoseconds recompute = 0;
        Bytes before = recording.ops.front().heldBefore;
        for (const OpRecord &op : recording.ops) {
            QVERIFY(op.end >= op.begin);
            QCOMPARE(op.heldBefore, before);
            QVERIFY(op.peak >= op.heldBefore && op.peak >= op.heldAfter);
            before = op.heldAfter;
            recompute += op.phase == Phase::recompute ? op.end - op.begin : op.rebuildNs;
        }
        QVERIFY(recompute > 0);
        const bool hasRecomputeOp = std::any_of(recording.ops.begin(), recording.ops.end(),
                                                [](const OpRecord &op) { return op.phase == Phase::recompute; });
        QCOMPARE(hasRecomputeOp, recomputes);
    }
};

REMAT_TEST(tst_recorder);
#include "tst_recorder.moc"
