// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/session_writer.h"

#include "store/session.h"
#include "support/fake_backend.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

std::int64_t startRun(SessionWriter &writer, const std::string &strategy)
{
    const SweepPlan plan = tinyPlan({strategy}, 3);
    if (!writer.beginSweep(plan))
        return -1;
    Point point;
    point.strategy = strategy;
    return writer.started(point, makeSchedule(plan.strategies[0], 3).value()).value();
}

} // namespace

class tst_session_writer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writer_second_isRefusedWithASentence()
    {
        TempSession file;
        auto first = SessionWriter::open(file.path());
        QVERIFY(first.has_value());
        const auto second = SessionWriter::open(file.path());
        QVERIFY(!second.has_value());
        QVERIFY2(second.error().message.find("another measurement") != std::string::npos,
                 second.error().message.c_str());
        first->reset();
        QVERIFY(SessionWriter::open(file.path()).has_value());
    }

    void writer_closed_leavesOneFile()
    {
        TempSession file;
        file.measure({"none"});
        const QStringList files = QDir(QString::fromStdString(file.folder())).entryList(QDir::Files | QDir::Hidden);
        QCOMPARE(files, QStringList{"test.remat"});
    }

    void writer_readerSeesRunsWhileItIsOpen()
    {
        TempSession file;
        auto writer = SessionWriter::open(file.path()).value();
        QVERIFY(startRun(*writer, "none") > 0);
        auto session = Session::open(file.path());
        QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
        QVERIFY(session->runs().value()[0].point.status == RunStatus::running);
        QVERIFY(session->setNote(1, "while it runs").has_value());
        FinishedRun run;
        run.point.run = 1;
        run.point.status = RunStatus::doesNotFit;
        run.point.reason = "E3 needs 5 bytes more.";
        QVERIFY(writer->finished(run).has_value());
        const auto runs = session->runs().value();
        QVERIFY(runs[0].point.status == RunStatus::doesNotFit);
        QCOMPARE(runs[0].point.reason, run.point.reason);
        QCOMPARE(runs[0].note, std::string("while it runs"));
        QVERIFY(session->recording(1)->ops.empty());
    }

    void writer_finishingTwice_isAnError()
    {
        TempSession file;
        auto writer = SessionWriter::open(file.path()).value();
        FinishedRun run;
        run.point.run = startRun(*writer, "none");
        run.point.status = RunStatus::done;
        QVERIFY(writer->finished(run).has_value());
        QVERIFY(!writer->finished(run).has_value());
    }

    void writer_leftOpenRuns_areInterruptedByTheNext()
    {
        TempSession file;
        {
            auto writer = SessionWriter::open(file.path()).value();
            QCOMPARE(startRun(*writer, "none"), std::int64_t(1));
        }
        auto writer = SessionWriter::open(file.path());
        QVERIFY(writer.has_value());
        const auto runs = Session::open(file.path())->runs().value();
        QVERIFY(runs[0].point.status == RunStatus::interrupted);
        QVERIFY(runs[0].point.run > 0);
        QVERIFY(!runs[0].point.reason.empty());
        startRun(**writer, "every:1");
        writer->reset();
        QVERIFY(SessionWriter::open(file.path(), "killed by signal 9").has_value());
        QCOMPARE(Session::open(file.path())->runs().value()[1].point.reason, std::string("killed by signal 9"));
    }

    void closeOpenRuns_marksOnlyOpenOnes()
    {
        TempSession file;
        file.measure({"none"});
        auto writer = SessionWriter::open(file.path()).value();
        startRun(*writer, "every:1");
        QCOMPARE(writer->closeOpenRuns(RunStatus::interrupted, "killed, probably out of memory").value(), 1);
        QCOMPARE(writer->closeOpenRuns(RunStatus::interrupted, "again").value(), 0);
        const auto runs = Session::open(file.path())->runs().value();
        QVERIFY(runs[0].point.status == RunStatus::done);
        QVERIFY(runs[1].point.status == RunStatus::interrupted);
        QVERIFY(runs[1].point.run > runs[0].point.run);
        QCOMPARE(runs[1].point.reason, std::string("killed, probably out of memory"));
    }

    void writer_failedFinish_leavesNothingOfTheRun()
    {
        TempSession file;
        auto writer = SessionWriter::open(file.path()).value();
        FinishedRun run;
        run.point.run = startRun(*writer, "none");
        run.point.status = RunStatus::done;
        run.recording.ops.resize(2);
        run.recording.ops[1].stage = 3;
        run.recording.names = {"a"};
        run.point.run += 100; // no such run: the last statement of the transaction finds out
        QVERIFY(!writer->finished(run).has_value());
        QCOMPARE(file.sql("SELECT count(*) FROM result"), std::string("0"));
        QCOMPARE(file.sql("SELECT count(*) FROM op_record"), std::string("0"));
    }

    void writer_toAPathThatCannotBe_isASentence_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("no folder") << QStringLiteral("/nowhere/at/all.remat");
        QTest::newRow("a folder") << QDir::tempPath();
        QTest::newRow("a device") << QStringLiteral("/dev/null");
    }
    void writer_toAPathThatCannotBe_isASentence()
    {
        QFETCH(QString, path);
        const auto writer = SessionWriter::open(path.toStdString());
        QVERIFY(!writer.has_value());
        QVERIFY(writer.error().message.ends_with('.'));
    }

    void writer_staleLogs_doNotTouchANewSession()
    {
        TempSession file;
        TempSession other;
        auto writer = SessionWriter::open(other.path()).value();
        startRun(*writer, "none"); // still in the log
        for (const char *log : {"-wal", "-shm"})
            QVERIFY(QFile::copy(QString::fromStdString(other.path() + log), QString::fromStdString(file.path() + log)));
        QVERIFY(QFile::copy(QString::fromStdString(other.path() + "-wal"),
                            QString::fromStdString(file.path() + ".new-wal")));
        QCOMPARE(int(file.measure({"every:1"}).size()), 1);
        const auto runs = Session::open(file.path())->runs().value();
        QCOMPARE(int(runs.size()), 1);
        QCOMPARE(runs[0].point.strategy, std::string("every:1"));
        QVERIFY(Session::check(file.path())->ok);
    }

    void writer_emptyFile_becomesASession()
    {
        TempSession file;
        QFile empty(QString::fromStdString(file.path()));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        empty.close();
        QCOMPARE(int(file.measure({"none"}).size()), 1);
        QVERIFY(Session::check(file.path())->ok);
    }
};

REMAT_TEST(tst_session_writer);
#include "tst_session_writer.moc"
