// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include <csignal>
#include <sys/types.h>

#include "measure/runner_message.h"
#include "store/session.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

using Kind = RunnerEvent::Kind;

RunnerRequest sweepRequest(const std::vector<std::string> &strategies, int repeats)
{
    RunnerRequest request;
    request.id = 7;
    request.command = RunnerRequest::Command::sweep;
    request.plan = tinyPlan(strategies, 3);
    request.plan.repeats = repeats;
    return request;
}

QByteArray line(const RunnerRequest &request)
{
    return QByteArray::fromStdString(encode(request)) + '\n';
}

/// Reads events until one of `kind`, at most ten seconds.
std::vector<RunnerEvent> readUntil(QProcess &process, Kind kind)
{
    std::vector<RunnerEvent> events;
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 10'000) {
        while (process.canReadLine()) {
            const std::string text = process.readLine().trimmed().toStdString();
            auto event = decodeEvent(text);
            if (!event) {
                QTest::qFail(text.c_str(), __FILE__, __LINE__);
                return events;
            }
            events.push_back(*event);
            if (event->kind == kind)
                return events;
        }
        process.waitForReadyRead(100);
    }
    QTest::qFail("the event did not come", __FILE__, __LINE__);
    return events;
}

/// Closes the runner's input, which ends it.
bool endRunner(QProcess &process)
{
    process.closeWriteChannel();
    return process.waitForFinished(4000);
}

int countOf(const std::vector<RunnerEvent> &events, Kind kind)
{
    return static_cast<int>(
        std::count_if(events.begin(), events.end(), [kind](const RunnerEvent &event) { return event.kind == kind; }));
}

} // namespace

class tst_remat_runner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sweep_events_comeInOrder()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_NOISE", "1"); // what libraries print must not reach the protocol
        auto process = remat.start({"runner"});
        RunnerRequest request = sweepRequest({"none", "every:1"}, 3);
        request.session = remat.path("s.remat").toStdString();
        process->write(line(request));
        const auto events = readUntil(*process, Kind::done);
        QVERIFY(events.front().kind == Kind::accepted);
        QCOMPARE(countOf(events, Kind::costs), 1);
        QCOMPARE(countOf(events, Kind::point), 4);
        QVERIFY(countOf(events, Kind::progress) > 3);
        std::vector<std::string> points;
        bool costsCame = false;
        for (const RunnerEvent &event : events) {
            QVERIFY(event.id == 7 || event.kind == Kind::heartbeat);
            costsCame = costsCame || event.kind == Kind::costs;
            if (event.kind == Kind::point) {
                QVERIFY(costsCame);
                points.push_back(event.point.strategy + " " + std::string(toString(event.point.status)));
            }
        }
        QCOMPARE(points, (std::vector<std::string>{"none running", "every:1 running", "none done", "every:1 done"}));
        QCOMPARE(events.back().status, std::string("done"));
        QCOMPARE(int(Session::open(request.session)->runs()->size()), 2);
        process->write("{\"v\":1,\"id\":8,\"cmd\":\"quit\"}\n");
        QVERIFY(process->waitForFinished(3000));
        QCOMPARE(process->exitCode(), 0);
        QVERIFY(process->readAllStandardError().contains("a step"));
    }

    void brokenLines_areErrorsAndTheRunnerLives()
    {
        RematProcess remat;
        auto process = remat.start({"runner"});
        process->write("hello\n\n{\"v\":9}\n\xff\xfe\n{\"v\":1,\"id\":2,\"cmd\":\"sweep\"}\n");
        for (int i = 0; i < 5; ++i)
            QVERIFY(!readUntil(*process, Kind::error).back().error.message.empty());
        process->write("{\"v\":1,\"id\":3,\"cmd\":\"devices\"}\n");
        const auto events = readUntil(*process, Kind::done);
        QCOMPARE(countOf(events, Kind::devices), 1);
        QCOMPARE(int(events[1].devices.size()), 2);
        QVERIFY(endRunner(*process));
    }

    void heartbeat_everySecond()
    {
        RematProcess remat;
        auto process = remat.start({"runner"});
        QElapsedTimer timer;
        timer.start();
        readUntil(*process, Kind::heartbeat);
        readUntil(*process, Kind::heartbeat);
        QVERIFY(timer.elapsed() < 3500);
        QVERIFY(timer.elapsed() > 1500);
        QVERIFY(endRunner(*process));
    }

    void cancel_inMidSweep_endsItAndKeepsTheRunner()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_STEP_MS", "20");
        auto process = remat.start({"runner"});
        process->write(line(sweepRequest({"none", "every:1"}, 1000)));
        RunnerRequest waiting = sweepRequest({"none"}, 2);
        waiting.id = 8;
        process->write(line(waiting));
        QTest::qWait(400);
        process->write("{\"v\":1,\"id\":1,\"cmd\":\"cancel\"}\n");
        QElapsedTimer timer;
        timer.start();
        const auto events = readUntil(*process, Kind::done);
        const auto more = readUntil(*process, Kind::done);
        QVERIFY(timer.elapsed() < 1500);
        QCOMPARE(events.back().status, std::string("cancelled"));
        QCOMPARE(more.back().status, std::string("cancelled"));
        QCOMPARE(std::min(events.back().id, more.back().id), std::int64_t(7));
        QCOMPARE(std::max(events.back().id, more.back().id), std::int64_t(8));
        process->write(line(sweepRequest({"none"}, 2)));
        QCOMPARE(readUntil(*process, Kind::done).back().status, std::string("done"));
        QVERIFY(endRunner(*process));
    }

    void inputCloses_cancelsAndExitsWithinThreeSeconds_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("ms");
        QTest::newRow("a step that hears") << "REMAT_FAKE_STEP_MS"
                                           << "20";
        QTest::newRow("a step that does not") << "REMAT_FAKE_DEAF_MS"
                                              << "60000";
    }
    void inputCloses_cancelsAndExitsWithinThreeSeconds()
    {
        QFETCH(QString, variable);
        QFETCH(QString, ms);
        RematProcess remat;
        remat.set(variable, ms);
        auto process = remat.start({"runner"});
        RunnerRequest request = sweepRequest({"none"}, 1000);
        request.session = remat.path("s.remat").toStdString();
        process->write(line(request));
        QTest::qWait(500);
        process->closeWriteChannel();
        QElapsedTimer timer;
        timer.start();
        QVERIFY(process->waitForFinished(5000));
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()).constData());
        QVERIFY(process->exitStatus() == QProcess::NormalExit);
        const auto check = Session::check(request.session);
        QVERIFY(check.has_value() && check->ok);
    }

    void parentDies_childFollows()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_STEP_MS", "30");
        auto parent = remat.start(
            {"sweep", remat.config(), "--session", remat.path("s.remat"), "--repeats", "1000", "--strategies", "none"});
        QTest::qWait(600);
        QVERIFY(QFile::exists(remat.path("s.remat.lock"))); // the child is the writer
        parent->kill();
        QVERIFY(parent->waitForFinished());
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(remat.path("s.remat.lock")), 4000);
        const auto runs = Session::open(remat.path("s.remat").toStdString())->runs().value();
        QVERIFY(runs[0].point.status == RunStatus::cancelled);
    }

    void killed_leavesAWholeSession()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_STEP_MS", "5");
        RunnerRequest request = sweepRequest({"none", "every:1", "every:2"}, 4);
        request.session = remat.path("s.remat").toStdString();
        for (const int ms : {40, 90, 130, 170, 230, 310}) {
            auto process = remat.start({"runner"});
            process->write(line(request));
            process->waitForBytesWritten();
            QTest::qWait(ms);
            process->kill();
            process->waitForFinished();
            if (!QFile::exists(remat.path("s.remat")))
                continue;
            const auto check = Session::check(request.session);
            QVERIFY2(check.has_value() && check->ok, check ? "damaged" : check.error().message.c_str());
        }
        remat.unset("REMAT_FAKE_STEP_MS");
        auto last = remat.start({"runner"});
        last->write(line(request));
        readUntil(*last, Kind::done);
        QVERIFY(endRunner(*last));
        const auto runs = Session::open(request.session)->runs().value();
        QVERIFY(runs.size() > 3);
        for (const StoredRun &run : runs)
            QVERIFY(run.point.status == RunStatus::done || run.point.status == RunStatus::interrupted);
    }

    void probe_answersWithCosts()
    {
        RematProcess remat;
        auto process = remat.start({"runner"});
        RunnerRequest request = sweepRequest({}, 0);
        request.command = RunnerRequest::Command::probe;
        process->write(line(request));
        const auto events = readUntil(*process, Kind::done);
        QCOMPARE(countOf(events, Kind::costs), 1);
        QCOMPARE(int(events[1].costs.stages.size()), 8);
        QVERIFY(endRunner(*process));
    }
};

REMAT_TEST(tst_remat_runner);
#include "tst_remat_runner.moc"
