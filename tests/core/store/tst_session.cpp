// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/session.h"

#include "store/session_writer.h"
#include "support/fake_backend.h"
#include "support/recording_observer.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

class tst_session : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void session_readsBackEverythingThatWasMeasured()
    {
        TempSession file;
        const auto points = file.measure({"none", "every:1", "every:2"});
        QCOMPARE(int(points.size()), 3);
        auto session = Session::open(file.path());
        QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
        QVERIFY(session->writable());
        const auto runs = session->runs();
        QVERIFY2(runs.has_value(), runs ? "" : runs.error().message.c_str());
        QCOMPARE(int(runs->size()), 3);
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY(toJson((*runs)[i].point) == toJson(points[i]));
            QVERIFY((*runs)[i].startedAt.ends_with('Z'));
            QCOMPARE((*runs)[i].startedAt.size(), std::size_t(24));
        }
    }

    void session_scheduleRecordingCosts_roundTrip()
    {
        TempSession file;
        RecordingObserver observer;
        FakeBackend backend;
        const SweepPlan plan = tinyPlan({"every:2"}, 3);
        QVERIFY(runSweep(plan, backend, observer, {}).has_value());
        file.measure({"every:2"});
        auto session = Session::open(file.path()).value();
        QVERIFY(session.schedule(1).value() == observer.runs[0].schedule);
        QCOMPARE(describe(session.recording(1).value()), describe(observer.runs[0].recording));
        QVERIFY(!session.recording(1)->events.empty());
        QVERIFY(session.costs(1).value().value() == observer.probed[0]);
        QVERIFY(!session.costs(77).value().has_value());
        const auto workloads = session.workloads().value();
        QCOMPARE(int(workloads.size()), 1);
        QCOMPARE(workloads[0].hash, workloadHash(plan.model, plan.workload));
        QCOMPARE(workloadHash(workloads[0].model, workloads[0].workload), workloads[0].hash);
    }

    void session_sameWorkloadAgain_isStoredOnce()
    {
        TempSession file;
        file.measure({"none"});
        file.measure({"every:1"});
        auto session = Session::open(file.path()).value();
        QCOMPARE(int(session.workloads()->size()), 1);
        QCOMPARE(int(session.runs()->size()), 2);
        file.measure({"none"}, 5);
        QCOMPARE(int(session.workloads()->size()), 2);
    }

    void session_unknownRun_isAnError()
    {
        TempSession file;
        file.measure({"none"});
        auto session = Session::open(file.path()).value();
        QVERIFY(!session.schedule(9).has_value());
        QVERIFY(!session.recording(9).has_value());
        QVERIFY(!session.setNote(9, "x").has_value());
    }

    void session_notesStarsAndHidden_areKeptApartFromTheRun()
    {
        TempSession file;
        file.measure({"none", "every:1"});
        {
            auto session = Session::open(file.path()).value();
            QVERIFY(session.setNote(2, "fits the laptop ☺").has_value());
            QVERIFY(session.setStarred(2, true).has_value());
            QVERIFY(session.setHidden(1, true).has_value());
            QVERIFY(session.setHidden(1, false).has_value());
            QVERIFY(session.setHidden(1, true).has_value());
        }
        const auto runs = Session::open(file.path())->runs().value();
        QCOMPARE(runs[1].note, std::string("fits the laptop ☺"));
        QVERIFY(runs[1].starred);
        QVERIFY(!runs[1].hidden);
        QVERIFY(runs[0].hidden);
        QVERIFY(!runs[0].starred);
    }

    void session_dataVersion_changesWithAnotherConnectionsCommit()
    {
        TempSession file;
        file.measure({"none"});
        auto session = Session::open(file.path()).value();
        const auto before = session.dataVersion().value();
        QCOMPARE(session.dataVersion().value(), before);
        file.measure({"every:1"});
        QVERIFY(session.dataVersion().value() != before);
    }

    void session_views_answerTheirQuestions()
    {
        TempSession file;
        const auto points = file.measure({"none", "every:1"});
        QCOMPARE(file.sql("SELECT count(*) FROM points WHERE status = 'done'"), std::string("2"));
        QCOMPARE(file.sql("SELECT peak_bytes FROM points WHERE strategy = 'every:1'"),
                 std::to_string(points[1].peakBytes));
        QCOMPARE(file.sql("SELECT step_median_ns FROM points WHERE run = 1"), std::to_string(points[0].step.median));
        QCOMPARE(file.sql("SELECT equality_differing_elements FROM points WHERE run = 2"), std::string("0"));
        QCOMPARE(file.sql("SELECT cpu FROM environment WHERE run = 1"), std::string("fake processor"));
        QCOMPARE(file.sql("SELECT count(DISTINCT layer) FROM layer_times WHERE run = 2"), std::string("3"));
        QCOMPARE(file.sql("SELECT sum(recompute_ns) > 0 FROM layer_times WHERE run = 2"), std::string("1"));
        QCOMPARE(file.sql("SELECT sum(recompute_ns) FROM layer_times WHERE run = 1"), std::string("0"));
        QCOMPARE(
            file.sql("SELECT group_concat(op, ' ') FROM (SELECT op FROM ops WHERE run = 1 ORDER BY position LIMIT 3)"),
            std::string("E0 E1 E2"));
        QVERIFY(file.sql("SELECT sum(activation_peak_bytes) FROM layer_memory WHERE run = 1") != "0");
        QCOMPARE(file.sql("SELECT count(*) FROM stage_costs"), std::string("8"));
        QCOMPARE(file.sql("SELECT option FROM stage_costs LIMIT 1"), std::string("keep_all"));
        QCOMPARE(file.sql("SELECT optimizer || train || loss_mode || loss_dtype FROM points WHERE run = 1"),
                 std::string("adamwallfullfp32"));
        QCOMPARE(file.sql("SELECT segments_recomputed || ' of ' || segments_total FROM points WHERE run = 2"),
                 std::string("3 of 3"));
        QCOMPARE(file.sql("SELECT recompute_attention_ns = recompute_ns / 2 FROM points WHERE run = 2"),
                 std::string("1"));
        QCOMPARE(file.sql("SELECT allocator || clock_mhz FROM environment WHERE run = 1"),
                 std::string("fake allocator1234"));
        QCOMPARE(file.sql("SELECT driver || process_used_bytes FROM environment WHERE run = 1"),
                 std::string("1.2.31000"));
        QCOMPARE(file.sql("SELECT update_in_backward || skipped_steps || missing_gradients FROM points WHERE run = 1"),
                 std::string("000"));
        QCOMPARE(file.sql("SELECT op || layer || operator FROM kept_blocks WHERE run = 1 AND layer = 2 LIMIT 1"),
                 std::string("E52fake::alloc"));
        const auto kept = Session::open(file.path())->keptBlocks(1).value();
        QCOMPARE(std::to_string(kept.size()), file.sql("SELECT count(*) FROM kept_blocks WHERE run = 1"));
        QVERIFY(kept.front().bytes > 0 && kept.front().count > 0);
        for (const char *view :
             {"points", "layer_times", "layer_memory", "ops", "stage_costs", "environment", "kept_blocks"})
            QVERIFY(!file.sql(std::string("SELECT count(*) FROM ") + view).starts_with("error"));
        QCOMPARE(file.sql("PRAGMA application_id"), std::to_string(0x52454D54));
        QCOMPARE(file.sql("PRAGMA user_version"), std::string("3"));
    }

    void session_finishedRuns_cannotBeChanged()
    {
        TempSession file;
        file.measure({"none"});
        QVERIFY(file.sql("UPDATE run SET status = 4").starts_with("error: a finished run"));
        QVERIFY(file.sql("UPDATE result SET peak_bytes = 1").starts_with("error: a finished run"));
    }

    void saveCopy_isInRollbackModeAndComplete()
    {
        TempSession file;
        file.measure({"none", "every:1"});
        auto session = Session::open(file.path()).value();
        const std::string copy = file.folder() + "/copy.remat";
        QVERIFY(session.saveCopy(copy).has_value());
        QVERIFY(!session.saveCopy(copy).has_value()); // never overwrites
        QFile raw(QString::fromStdString(copy));
        QVERIFY(raw.open(QIODevice::ReadOnly));
        QCOMPARE(raw.read(20).at(18), char(1)); // 1: rollback, 2: write-ahead log
        QCOMPARE(int(Session::open(copy)->runs()->size()), 2);
        QVERIFY(Session::check(copy)->ok);
    }

    void check_wholeSession_isOk()
    {
        TempSession file;
        file.measure({"none", "every:1"}, 3, 0);
        const auto check = Session::check(file.path());
        QVERIFY(check.has_value());
        QVERIFY2(check->ok, check->problems.empty() ? "" : check->problems[0].c_str());
        QCOMPARE(check->schema, 3);
        QCOMPARE(check->runs, 2);
    }

    void recording_ofMillionEvents_roundTrips()
    {
        TempSession file;
        FinishedRun run;
        const SweepPlan plan = tinyPlan({"none"}, 2);
        run.schedule = makeSchedule(plan.strategies[0], 2).value();
        run.point.strategy = "none";
        run.recording.names = {"a", "b"};
        run.recording.ops.resize(1000);
        for (std::uint32_t i = 0; i < 1'000'000; ++i) {
            const Bytes size = 4096 + (i - i % 2) % 512;
            const Bytes bytes = i % 2 == 0 ? size : -size;
            run.recording.events.push_back(
                {i * 100, bytes, i / 2, i / 1000, std::uint16_t(i % 2), Category::temporary, Phase::backward});
        }
        auto writer = SessionWriter::open(file.path()).value();
        QVERIFY(writer->beginSweep(plan).has_value());
        run.point.run = writer->started(run.point, run.schedule).value();
        run.point.status = RunStatus::done;
        run.point.peakBytes = peaksOf(run.recording).peak;
        QVERIFY(writer->finished(run).has_value());
        writer.reset();
        const auto read = Session::open(file.path())->recording(1);
        QVERIFY(read.has_value());
        QVERIFY(describe(*read) == describe(run.recording));
        QCOMPARE(file.sql("SELECT count(*) FROM event_chunk"), std::string("123"));
        QVERIFY(QFileInfo(QString::fromStdString(file.path())).size() < 12'000'000);
    }
};

REMAT_TEST(tst_session);
#include "tst_session.moc"
