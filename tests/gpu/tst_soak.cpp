// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/soak.h"

#include "gpu/support/engine_fixture.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr int kRuns = 1000;

// 900 runs lie between the two readings. One recording of such a run has some 20 KiB of events, one set of parameters and
// optimizer state 100 KiB: whatever is kept of each run, were it 5 KiB, goes beyond this, while the allocator of the C
// library moves its heap by less. An address sanitizer keeps what was freed, up to 256 MiB.
#ifdef __SANITIZE_ADDRESS__
constexpr Bytes kMostGrowth = 320 << 20;
#else
constexpr Bytes kMostGrowth = 4 << 20;
#endif

} // namespace

class tst_soak : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aThousandShortRuns_leaveNothingBehind()
    {
        const ModelConfig model = tinyGpt(1);
        const Workload settings = tinyWorkload(model);
        const Schedule schedules[] = {scheduleOf("none", 1), scheduleOf("every:1", 1), scheduleOf("selective:mlp", 1)};
        bool allDone = true;
        const Soak result = soak(kRuns, [&](int run) {
            const Schedule &schedule = schedules[run % 3];
            const auto workload = prepared(model, settings);
            const auto step = workload->step(schedule, {});
            const auto recorded = workload->recordStep(schedule, {});
            allDone = allDone && step && step->status == RunStatus::done && recorded
                && recorded->outcome.status == RunStatus::done && !recorded->recording.events.empty();
        });
        QVERIFY(allDone);
        QCOMPARE(result.late.held, result.early.held);
        const Bytes growth = result.late.resident - result.early.resident;
        QVERIFY(result.early.resident > 0);
        QVERIFY2(growth < kMostGrowth,
                 qPrintable(QString("%1 bytes more than after %2 runs").arg(growth).arg(kRuns / 10)));
    }
};

REMAT_TEST(tst_soak);
#include "tst_soak.moc"
