// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/engine_fixture.h"
#include "memory/cpu_account.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

/// The bits of every parameter, so that "the next step is equal" means all of it.
std::vector<std::vector<char>> parameterBits(gpu::TorchWorkload &workload)
{
    std::vector<std::vector<char>> bits;
    for (const at::Tensor &parameter : workload.parameters().tensors()) {
        const auto *data = static_cast<const char *>(parameter.const_data_ptr());
        bits.emplace_back(data, data + parameter.nbytes());
    }
    return bits;
}

} // namespace

class tst_out_of_memory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachSingleAllocation_failing_leavesNothingBehind_data()
    {
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<bool>("bf16");
        QTest::newRow("none") << "none" << false;
        QTest::newRow("every:1") << "every:1" << false;
        QTest::newRow("recursive") << "recursive" << false;
        QTest::newRow("every:1 bf16") << "every:1" << true;
    }
    void eachSingleAllocation_failing_leavesNothingBehind()
    {
        QFETCH(QString, strategy);
        QFETCH(bool, bf16);
        const ModelConfig model = tinyGpt(3);
        Workload settings = tinyWorkload(model);
        settings.dtype = bf16 ? Dtype::bf16 : Dtype::fp32;
        const auto workload = prepared(model, settings);
        const Schedule schedule = scheduleOf(strategy.toStdString(), 3);
        gpu::CpuAccount &account = gpu::CpuAccount::instance();
        for (int i = 0; i < 2; ++i)
            QVERIFY(workload->step(schedule, {}));
        // A failed step changes neither parameters nor random state, so the step after all failures is the step before.
        const Bytes idle = account.held();
        const std::int64_t before = account.allocations();
        const auto steady = parameterBits(*workload);
        QSet<QString> places;
        std::int64_t failures = 0;
        for (std::int64_t n = 1;; ++n) {
            account.failAllocation(n);
            const auto outcome = workload->step(schedule, {});
            account.failAllocation(0);
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
            if (outcome->status == RunStatus::done)
                break;
            ++failures;
            QVERIFY(outcome->status == RunStatus::doesNotFit);
            QVERIFY2(account.held() == idle,
                     qPrintable(QString("%1 bytes stay after failure %2: %3")
                                    .arg(account.held() - idle)
                                    .arg(n)
                                    .arg(outcome->reason.c_str())));
            QVERIFY(parameterBits(*workload) == steady
                    || QString::fromStdString(outcome->reason).contains("optimizer"));
            const QString reason = QString::fromStdString(outcome->reason);
            places.insert(reason.section('(', 1, 1).section(')', 0, 0));
        }
        QVERIFY(failures > 100);
        QVERIFY(account.allocations() > before + failures);
        QVERIFY(places.contains("forward") && places.contains("loss") && places.contains("backward")
                && places.contains("optimizer"));
        QCOMPARE(places.contains("recompute"), strategy != "none");
        QCOMPARE(account.held(), idle);
    }

    void nextStep_afterAFailure_isBitEqual()
    {
        const ModelConfig model = tinyGpt(3);
        const Schedule schedule = scheduleOf("every:1", 3);
        std::vector<std::vector<char>> results[2];
        for (int failing = 0; failing < 2; ++failing) {
            const auto workload = prepared(model, tinyWorkload(model));
            for (int step = 0; step < 3; ++step) {
                if (failing == 1) {
                    gpu::CpuAccount::instance().failAllocation(60 + 37 * step);
                    QVERIFY(workload->step(schedule, {})->status == RunStatus::doesNotFit);
                    gpu::CpuAccount::instance().failAllocation(0);
                }
                QVERIFY(workload->step(schedule, {})->status == RunStatus::done);
            }
            results[failing] = parameterBits(*workload);
        }
        QVERIFY(results[0] == results[1]);
    }

    void firstUpdate_failing_keepsNoHalfState()
    {
        const ModelConfig model = tinyGpt(2);
        const auto workload = prepared(model, tinyWorkload(model));
        const Schedule schedule = scheduleOf("none", 2);
        const Bytes idle = gpu::CpuAccount::instance().held();
        bool optimizerFailed = false;
        for (std::int64_t n = 1; n < 5000; ++n) {
            gpu::CpuAccount::instance().failAllocation(n);
            const auto outcome = workload->step(schedule, {});
            gpu::CpuAccount::instance().failAllocation(0);
            if (outcome->status == RunStatus::done)
                break;
            optimizerFailed = optimizerFailed || outcome->reason.find("optimizer") != std::string::npos;
            // Either nothing of the state is there, or all of it: a third value would be half a state.
            const Bytes held = gpu::CpuAccount::instance().held();
            QVERIFY(held == idle || held > idle + 2 * 4 * 32 * 96);
            if (held != idle)
                break;
        }
        QVERIFY(optimizerFailed);
    }

    void budget_atThePeak_passes_oneByteLess_doesNot_data()
    {
        QTest::addColumn<QString>("strategy");
        for (const char *strategy : {"none", "every:1", "segments:2"})
            QTest::newRow(strategy) << strategy;
    }
    void budget_atThePeak_passes_oneByteLess_doesNot()
    {
        QFETCH(QString, strategy);
        const ModelConfig model = tinyGpt(4);
        const auto workload = prepared(model, tinyWorkload(model));
        const Schedule schedule = scheduleOf(strategy.toStdString(), 4);
        for (int i = 0; i < 2; ++i)
            QVERIFY(workload->step(schedule, {}));
        const auto recorded = workload->recordStep(schedule, {});
        QVERIFY(recorded);
        const Bytes peak = peaksOf(recorded->recording).peak;
        gpu::CpuAccount::instance().setBudget(peak);
        QVERIFY(workload->step(schedule, {})->status == RunStatus::done);
        gpu::CpuAccount::instance().setBudget(peak - 1);
        const auto outcome = workload->step(schedule, {});
        gpu::CpuAccount::instance().setBudget(0);
        QVERIFY(outcome->status == RunStatus::doesNotFit);
        QVERIFY(outcome->reason.find("budget " + std::to_string(peak - 1)) != std::string::npos);
        QVERIFY(workload->step(schedule, {})->status == RunStatus::done);
    }

    void parameters_overBudget_areRefused()
    {
        const ModelConfig model = tinyGpt(2);
        Workload workload = tinyWorkload(model);
        workload.memoryBudget = gpu::CpuAccount::instance().held() + 1000;
        const auto made = engine().prepare(model, workload);
        QVERIFY(!made);
        QVERIFY(made.error().code == ErrorCode::doesNotFit);
        gpu::CpuAccount::instance().setBudget(0);
    }

    void cancel_beforeAnOp_endsTheStep()
    {
        const ModelConfig model = tinyGpt(2);
        const auto workload = prepared(model, tinyWorkload(model));
        std::stop_source stop;
        stop.request_stop();
        const Bytes idle = gpu::CpuAccount::instance().held();
        QVERIFY(workload->step(scheduleOf("none", 2), stop.get_token())->status == RunStatus::cancelled);
        QCOMPARE(gpu::CpuAccount::instance().held(), idle);
        QVERIFY(workload->step(scheduleOf("none", 2), {})->status == RunStatus::done);
    }
};

REMAT_TEST(tst_out_of_memory);
#include "tst_out_of_memory.moc"
