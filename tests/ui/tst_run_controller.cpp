// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <csignal>

#include "models/session_document.h"
#include "runner/run_controller.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

class tst_run_controller : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sweep_normalEnd_storesEveryRun();
    void sweep_cancelledMidRun_keepsWhatWasFinished();
    void sweep_deafRunner_isEndedAfterStop();
    void controller_destroyedMidRun_leavesNoProcess();
    void runner_thatDies_isNamedAndClosed();
    void runner_thatTalksNonsense_isOnlyNoted();
    void runner_thatRefuses_fails();
    void runner_thatDoesNotExist_isSaidAtOnce();
    void devices_areListed();

private:
    [[nodiscard]] static RunnerCommand fake(const char *mode, const QString &pidFile = {});
    [[nodiscard]] static core::SweepPlan plan();
};

RunnerCommand tst_run_controller::fake(const char *mode, const QString &pidFile)
{
    RunnerCommand command{QStringLiteral(REMAT_FAKE_RUNNER), {QString::fromLatin1(mode)}};
    if (!pidFile.isEmpty())
        command.arguments += pidFile;
    return command;
}

core::SweepPlan tst_run_controller::plan()
{
    core::SweepPlan plan;
    plan.model = tests::sampleModel(4);
    plan.workload.seq = 256;
    plan.workload.threads = 1;
    for (const char *text : {"none", "every:1", "every:2", "segments:2"})
        plan.strategies.push_back(*core::parseStrategy(text));
    return plan;
}

void tst_run_controller::sweep_normalEnd_storesEveryRun()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.remat"));
    RunController controller(fake("normal"));
    QSignalSpy finished(&controller, &RunController::finished), states(&controller, &RunController::stateChanged);
    std::vector<core::Point> points;
    connect(&controller, &RunController::pointArrived, this,
            [&](const core::Point &point) { points.push_back(point); });
    controller.measure(plan(), path);
    QCOMPARE(controller.state(), RunController::State::starting);
    QVERIFY(finished.wait(10000));
    QCOMPARE(finished.front().front().toString(), QStringLiteral("done"));
    QCOMPARE(controller.state(), RunController::State::idle);
    QCOMPARE(states.size(), 3);
    QCOMPARE(points.size(), std::size_t{8});
    QCOMPARE(controller.progress().steps, 4);
    SessionDocument document;
    QVERIFY(document.setReader(std::move(openSessionReader(path)).value()).has_value());
    QCOMPARE(document.points().size(), std::size_t{4});
    QVERIFY(document.recording(QStringLiteral("every:2")) != nullptr);
    QVERIFY(document.costs().has_value());
    QCOMPARE(document.layers(), 4);
}

void tst_run_controller::sweep_cancelledMidRun_keepsWhatWasFinished()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.remat"));
    RunController controller(fake("slow"));
    QSignalSpy finished(&controller, &RunController::finished);
    int done = 0;
    connect(&controller, &RunController::pointArrived, this, [&](const core::Point &point) {
        if (point.status == core::RunStatus::done && ++done == 1) {
            controller.cancel();
            QCOMPARE(controller.state(), RunController::State::cancelling);
        }
    });
    controller.measure(plan(), path);
    QVERIFY(finished.wait(10000));
    QCOMPARE(finished.front().front().toString(), QStringLiteral("cancelled"));
    QVERIFY(done < 4);
    SessionDocument document;
    QVERIFY(document.setReader(std::move(openSessionReader(path)).value()).has_value());
    QCOMPARE(document.points().size(), static_cast<std::size_t>(done));
}

void tst_run_controller::sweep_deafRunner_isEndedAfterStop()
{
    QTemporaryDir folder;
    RunController controller(fake("deaf"));
    QSignalSpy finished(&controller, &RunController::finished), accepted(&controller, &RunController::accepted);
    controller.measure(plan(), folder.filePath(QStringLiteral("a.remat")));
    QVERIFY(accepted.wait(10000));
    controller.cancel();
    QVERIFY(finished.wait(15000));
    QCOMPARE(finished.front().front().toString(), QStringLiteral("cancelled"));
}

void tst_run_controller::controller_destroyedMidRun_leavesNoProcess()
{
    QTemporaryDir folder;
    const QString pidFile = folder.filePath(QStringLiteral("pid"));
    {
        RunController controller(fake("deaf", pidFile));
        QSignalSpy accepted(&controller, &RunController::accepted);
        controller.measure(plan(), folder.filePath(QStringLiteral("a.remat")));
        QVERIFY(accepted.wait(10000));
    }
    QFile file(pidFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const int pid = file.readAll().toInt();
    QVERIFY(pid > 1);
    QTRY_COMPARE_WITH_TIMEOUT(kill(pid, 0), -1, 3000);
}

void tst_run_controller::runner_thatDies_isNamedAndClosed()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.remat"));
    RunController controller(fake("die"));
    QSignalSpy failed(&controller, &RunController::failed);
    controller.measure(plan(), path);
    QVERIFY(failed.wait(10000));
    QVERIFY2(failed.front().front().toString().contains(QStringLiteral("signal 9")),
             qPrintable(failed.front().front().toString()));
    QVERIFY(!controller.busy());
    auto reader = openSessionReader(path);
    QVERIFY(reader.has_value());
    const auto runs = (*reader)->runs();
    QVERIFY(runs.has_value());
    QCOMPARE(runs->size(), std::size_t{2});
    QVERIFY(runs->front().point.status == core::RunStatus::done);
    QVERIFY(runs->back().point.status == core::RunStatus::interrupted);
    QVERIFY(QString::fromStdString(runs->back().point.reason).contains(QStringLiteral("signal 9")));
}

void tst_run_controller::runner_thatTalksNonsense_isOnlyNoted()
{
    QTemporaryDir folder;
    RunController controller(fake("garbage"));
    QSignalSpy finished(&controller, &RunController::finished), noted(&controller, &RunController::noted);
    controller.measure(plan(), folder.filePath(QStringLiteral("a.remat")));
    QVERIFY(finished.wait(10000));
    QCOMPARE(noted.size(), 8);
    QVERIFY(noted.front().front().toString().contains(QLatin1Char('?')));
}

void tst_run_controller::runner_thatRefuses_fails()
{
    QTemporaryDir folder;
    RunController controller(fake("error"));
    QSignalSpy failed(&controller, &RunController::failed);
    controller.measure(plan(), folder.filePath(QStringLiteral("a.remat")));
    QVERIFY(failed.wait(10000));
    QCOMPARE(failed.front().front().toString(), QStringLiteral("The device is on holiday."));
    controller.measure(plan(), folder.filePath(QStringLiteral("a.remat")));
    QVERIFY(failed.wait(10000));
}

void tst_run_controller::runner_thatDoesNotExist_isSaidAtOnce()
{
    RunController controller({QStringLiteral("/nowhere/remat"), {QStringLiteral("runner")}});
    QVERIFY(!controller.available());
    QSignalSpy failed(&controller, &RunController::failed);
    controller.measure(plan(), {});
    QVERIFY(failed.wait(5000));
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("/nowhere/remat")));
    QVERIFY(!controller.busy());
}

void tst_run_controller::devices_areListed()
{
    std::vector<core::DeviceInfo> found;
    QObject context;
    askForDevices(fake("normal"), &context, [&](std::vector<core::DeviceInfo> devices) { found = std::move(devices); });
    QTRY_COMPARE_WITH_TIMEOUT(found.size(), std::size_t{2}, 10000);
    QCOMPARE(found[1].why, std::string("Its driver is not installed."));
}

REMAT_TEST(tst_run_controller);

#include "tst_run_controller.moc"
