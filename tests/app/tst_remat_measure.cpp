// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include <csignal>
#include <sys/types.h>

#include "measure/point.h"
#include "store/session.h"
#include "store/session_writer.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

std::vector<std::string> statuses(const Json &document)
{
    std::vector<std::string> list;
    for (const Json &point : document.at("points"))
        list.push_back(point.at("status").get<std::string>());
    return list;
}

QStringList sweepArguments(RematProcess &remat, const QStringList &strategies)
{
    return QStringList{"sweep",  remat.config(), "--session", remat.path("s.remat"),
                       "--json", "--repeats",    "3",         "--strategies"}
    + strategies;
}

} // namespace

class tst_remat_measure : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void measure_json_isOnePoint()
    {
        RematProcess remat;
        const Finished run = remat.run(
            {"measure", remat.config(), "--strategy", "every:2", "--json", "--batch", "3", "--repeats", "4"});
        QVERIFY2(run.code == 0, run.err.constData());
        QVERIFY(run.err.isEmpty()); // silent in a pipe
        const auto point = pointFromJson(run.json());
        QVERIFY(point.has_value());
        QCOMPARE(point->strategy, std::string("every:2"));
        QVERIFY(point->status == RunStatus::done);
        QCOMPARE(point->batch, std::int64_t(3));
        QCOMPARE(point->seq, std::int64_t(64));
        QCOMPARE(point->step.n, 4);
        QCOMPARE(point->peakBytes, point->predictedPeakBytes);
        QVERIFY(point->equality.checked);
        QCOMPARE(point->dtype, std::string("fp32"));
    }

    void measure_lists_areSeveralSweeps()
    {
        RematProcess remat;
        const Finished run = remat.run({"measure", remat.config(), "--strategy", "none", "--json", "--batch", "1,2",
                                        "--seq", "8,16", "--session", remat.path("s.remat"), "--repeats", "2"});
        QCOMPARE(run.code, 0);
        const auto points = run.json().at("points");
        QCOMPARE(int(points.size()), 4);
        QCOMPARE(points[3].at("batch").get<int>(), 2);
        QCOMPARE(points[3].at("seq").get<int>(), 16);
        QCOMPARE(int(Session::open(remat.path("s.remat").toStdString())->workloads()->size()), 4);
    }

    void measure_doesNotFit_isFour()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_BUDGET", "250000");
        const Finished run = remat.run({"measure", remat.config(), "--strategy", "none", "--json"});
        QCOMPARE(run.code, 4);
        QCOMPARE(run.json().at("status").get<std::string>(), std::string("does_not_fit"));
        QVERIFY(!run.json().at("reason").get<std::string>().empty());
        QVERIFY(run.json().at("peak_bytes").is_null());
    }

    void sweep_storesWhatItPrints()
    {
        RematProcess remat;
        const Finished run = remat.run(sweepArguments(remat, {"none", "every:1", "segments:2"}));
        QVERIFY2(run.code == 0, run.err.constData());
        const auto points = run.json().at("points");
        const auto runs = Session::open(remat.path("s.remat").toStdString())->runs().value();
        QCOMPARE(runs.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(toJson(runs[i].point) == points[i]);
        const Finished text = remat.run({"show", remat.path("s.remat")});
        QCOMPARE(text.code, 0);
        QVERIFY(text.out.contains("segments:2"));
        QVERIFY(text.out.contains("exact"));
    }

    void sweep_oneDoesNotFit_isStillZero()
    {
        RematProcess remat;
        const auto whole = remat.run(sweepArguments(remat, {"none"})).json();
        remat.set("REMAT_FAKE_BUDGET", QString::number(whole.at("points")[0].at("peak_bytes").get<qint64>() - 1));
        const Finished run = remat.run(sweepArguments(remat, {"none", "every:1"}));
        QCOMPARE(run.code, 0);
        QCOMPARE(statuses(run.json()), (std::vector<std::string>{"does_not_fit", "done"}));
    }

    void sweep_auto_coversBothModes()
    {
        RematProcess remat;
        const auto points = remat.run(sweepArguments(remat, {"auto"})).json().at("points");
        QVERIFY(points.size() > 5);
        QCOMPARE(points[0].at("strategy").get<std::string>(), std::string("none"));
    }

    void runnerKilledOnce_onlyItsRunIsInterrupted()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_KILL", "8," + remat.path("died")); // every:1 reruns eight stages of four layers
        const Finished run = remat.run(sweepArguments(remat, {"none", "every:1", "every:2"}));
        QCOMPARE(run.code, 1);
        QCOMPARE(statuses(run.json()), (std::vector<std::string>{"done", "interrupted", "done"}));
        const auto reason = run.json().at("points")[1].at("reason").get<std::string>();
        QVERIFY2(reason.find("killed, probably out of memory") != std::string::npos, reason.c_str());
        QVERIFY(reason.find("every:1") != std::string::npos);
        const auto runs = Session::open(remat.path("s.remat").toStdString())->runs().value();
        int done = 0;
        for (const StoredRun &stored : runs) {
            done += stored.point.status == RunStatus::done ? 1 : 0;
            QVERIFY(stored.point.status == RunStatus::done || stored.point.status == RunStatus::interrupted);
            QVERIFY(stored.point.status == RunStatus::done || stored.point.reason == reason);
        }
        QCOMPARE(done, 2);
        QVERIFY(Session::check(remat.path("s.remat").toStdString())->ok);
    }

    void runnerKilledAgainAndAgain_givesUpAfterTwo()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_KILL", "0"); // none, whenever it is run
        const Finished run = remat.run(sweepArguments(remat, {"none", "every:1"}));
        QCOMPARE(run.code, 1);
        QCOMPARE(statuses(run.json())[0], std::string("interrupted"));
        QCOMPARE(statuses(run.json())[1], std::string("done"));
        remat.set("REMAT_FAKE_KILL", "8");
        const Finished only = remat.run({"measure", remat.config(), "--strategy", "every:1", "--json"});
        QCOMPARE(only.code, 1);
        QCOMPARE(only.json().at("status").get<std::string>(), std::string("interrupted"));
    }

    void interrupted_byCtrlC_is130AndKeepsFinishedRuns()
    {
        RematProcess remat;
        remat.set("REMAT_FAKE_STEP_MS", "40");
        auto process = remat.start(sweepArguments(remat, {"none", "every:1"}).replaceInStrings("3", "200"));
        QTest::qWait(700);
        QCOMPARE(::kill(static_cast<pid_t>(process->processId()), SIGINT), 0);
        QVERIFY(process->waitForFinished(8000));
        QCOMPARE(process->exitCode(), 130);
        const auto document = parseJson(process->readAllStandardOutput().toStdString(), "output");
        QVERIFY(document.has_value());
        for (const std::string &status : statuses(*document))
            QCOMPARE(status, std::string("cancelled"));
        const auto runs = Session::open(remat.path("s.remat").toStdString())->runs().value();
        QVERIFY(!runs.empty());
        for (const StoredRun &stored : runs)
            QVERIFY(stored.point.status == RunStatus::cancelled);
        QVERIFY(!QFile::exists(remat.path("s.remat.lock")));
    }

    void sessionInUse_isASentence()
    {
        RematProcess remat;
        const auto writer = SessionWriter::open(remat.path("s.remat").toStdString());
        QVERIFY(writer.has_value());
        const Finished run = remat.run(sweepArguments(remat, {"none"}));
        QCOMPARE(run.code, 1);
        QVERIFY2(run.err.contains("another measurement") && run.err.endsWith(".\n"), run.err.constData());
    }

    void verify_equalAndDifferent()
    {
        RematProcess remat;
        const Finished good = remat.run({"verify", remat.config(), "--strategy", "every:1", "--steps", "3", "--json"});
        QVERIFY2(good.code == 0, good.err.constData());
        for (const char *key : {"strategy", "reference", "steps", "differing_elements", "max_abs_diff", "losses"})
            QVERIFY2(good.json().contains(key), key);
        QCOMPARE(int(good.json().at("losses").at("reference").size()), 3);
        remat.set("REMAT_FAKE_WRONG", "1");
        const Finished bad = remat.run({"verify", remat.config(), "--strategy", "every:1", "--json"});
        QCOMPARE(bad.code, 1);
        QCOMPARE(bad.json().at("differing_elements").get<int>(), 3);
        remat.set("REMAT_FAKE_BUDGET", "250000");
        QCOMPARE(remat.run({"verify", remat.config(), "--strategy", "none"}).code, 4);
    }

    void fileStrategy_replaysAPlan()
    {
        RematProcess remat;
        const QString plan = remat.write(
            "plan.json",
            R"({"format":"remat-schedule","version":1,"stages":10,"ops":["E0","F1","F2","E3","E4","E5","E6","E7","E8","E9","L","B9","B8","B7","B6","B5","B4","B3","E1","E2","B2","B1","B0"]})");
        const Finished run = remat.run({"measure", remat.config(), "--strategy", "file:" + plan, "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(run.json().at("recomputed_stage_forwards").get<int>(), 2);
    }
};

REMAT_TEST(tst_remat_measure);
#include "tst_remat_measure.moc"
