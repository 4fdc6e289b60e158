// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/session.h"

#include <functional>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/session_writer.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

QByteArray bytesOf(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const std::string &path, const QByteArray &bytes)
{
    QFile file(QString::fromStdString(path));
    if (file.open(QIODevice::WriteOnly))
        file.write(bytes);
}

/// Runs `work` in a child that is not root, so that permissions count; its result, or -1.
int asNobody(const std::function<int()> &work)
{
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
            _exit(100);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

class tst_session_files : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void open_whatIsNoSession_isRefusedAndUntouched_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("hello");
        QTest::newRow("long text") << QByteArray(5000, 'x');
        QTest::newRow("json") << QByteArray("{\"layers\": 3}");
        QTest::newRow("magic alone") << QByteArray("SQLite format 3\0", 16);
    }
    void open_whatIsNoSession_isRefusedAndUntouched()
    {
        QFETCH(QByteArray, bytes);
        TempSession file;
        write(file.path(), bytes);
        const auto session = Session::open(file.path());
        QVERIFY(!session.has_value());
        QCOMPARE(session.error().code, ErrorCode::refused);
        QVERIFY(!Session::check(file.path()).has_value());
        if (!bytes.isEmpty()) {
            QVERIFY(!SessionWriter::open(file.path()).has_value());
            QCOMPARE(bytesOf(file.path()), bytes);
        }
    }

    void open_foreignDatabase_isRefusedAndUntouched()
    {
        TempSession file;
        file.sql("CREATE TABLE t(x); INSERT INTO t VALUES (1)");
        const QByteArray before = bytesOf(file.path());
        const auto session = Session::open(file.path());
        QVERIFY(!session.has_value());
        QCOMPARE(session.error().code, ErrorCode::refused);
        QVERIFY(session.error().message.find("another program") != std::string::npos);
        const auto writer = SessionWriter::open(file.path());
        QVERIFY(!writer.has_value());
        QCOMPARE(writer.error().code, ErrorCode::refused);
        QCOMPARE(bytesOf(file.path()), before);
    }

    void open_missingFileOrFolder_isRefused()
    {
        for (const char *path : {"/nowhere/x.remat", "/tmp", "", "/dev/null"}) {
            const auto session = Session::open(path);
            QVERIFY2(!session.has_value(), path);
            QCOMPARE(session.error().code, ErrorCode::refused);
        }
    }

    void open_newerVersion_isReadOnlyWithASentence()
    {
        TempSession file;
        file.measure({"none"});
        file.sql("PRAGMA user_version = 9; ALTER TABLE run ADD COLUMN extra INTEGER");
        auto session = Session::open(file.path());
        QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
        QVERIFY(!session->writable());
        QVERIFY(session->writableNote().find("newer") != std::string::npos);
        QCOMPARE(int(session->runs()->size()), 1);
        const auto noted = session->setNote(1, "x");
        QVERIFY(!noted.has_value());
        const auto writer = SessionWriter::open(file.path());
        QVERIFY(!writer.has_value());
        QCOMPARE(writer.error().code, ErrorCode::refused);
    }

    void open_alteredSchema_isRefused_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::newRow("table gone") << QByteArray("DROP VIEW environment");
        QTest::newRow("view swapped") << QByteArray("DROP VIEW points; CREATE VIEW points AS WITH RECURSIVE c(x) AS "
                                                    "(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c");
        QTest::newRow("column added") << QByteArray("ALTER TABLE run ADD COLUMN extra INTEGER");
        QTest::newRow("foreign trigger") << QByteArray(
            "CREATE TRIGGER t AFTER INSERT ON user_run BEGIN DELETE FROM user_run; END");
    }
    void open_alteredSchema_isRefused()
    {
        QFETCH(QByteArray, sql);
        TempSession file;
        file.measure({"none"});
        QVERIFY(!file.sql(sql.toStdString()).starts_with("error"));
        const auto session = Session::open(file.path());
        QVERIFY(!session.has_value());
        QVERIFY(session.error().message.find("altered") != std::string::npos);
        const auto check = Session::check(file.path());
        QVERIFY(check.has_value());
        QVERIFY(!check->ok);
        QVERIFY(!SessionWriter::open(file.path()).has_value());
    }

    void open_damagedPages_neverCrashAndCheckFindsThem()
    {
        TempSession file;
        file.measure({"none", "every:1", "every:2"});
        const QByteArray whole = bytesOf(file.path());
        QVERIFY(whole.size() > 40000);
        int tried = 0;
        int found = 0;
        for (int at = 100; at + 64 < whole.size(); at += 1531) {
            // Most of a small session is the empty rest of pages, where damage harms nothing.
            tried += whole.mid(at, 64).count('\0') < 64 ? 1 : 0;
            QByteArray damaged = whole;
            for (int i = 0; i < 64; ++i)
                damaged[at + i] = static_cast<char>(0xA5 ^ i);
            write(file.path(), damaged);
            const auto check = Session::check(file.path());
            found += check.has_value() && check->ok ? 0 : 1;
            if (auto session = Session::open(file.path())) {
                (void)session->workloads().has_value();
                (void)session->costs(1).has_value();
                if (const auto runs = session->runs()) {
                    for (const StoredRun &run : *runs)
                        (void)session->recording(run.point.run).has_value();
                }
            }
        }
        // Damage to a text or a number that is still well formed cannot be seen.
        QVERIFY2(found * 3 > tried, qPrintable(QString("%1 of %2 found").arg(found).arg(tried)));
    }

    void open_truncated_isASentence()
    {
        TempSession file;
        file.measure({"none"});
        const QByteArray whole = bytesOf(file.path());
        for (const int size : {100, 512, 4096, 20000}) {
            write(file.path(), whole.left(size));
            const auto session = Session::open(file.path());
            QVERIFY(!session.has_value());
            QVERIFY(session.error().message.ends_with('.'));
            const auto check = Session::check(file.path());
            QVERIFY(!check.has_value() || !check->ok);
        }
    }

    void recording_corruptedChunk_isASentenceAndFoundByCheck_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::newRow("bytes") << QByteArray("UPDATE event_chunk SET data = x'00112233'");
        QTest::newRow("empty") << QByteArray("UPDATE event_chunk SET data = x''");
        QTest::newRow("huge") << QByteArray("UPDATE event_chunk SET data = zeroblob(60000000)");
        QTest::newRow("count") << QByteArray("UPDATE event_chunk SET events = events - 1");
        QTest::newRow("codec") << QByteArray("UPDATE event_chunk SET codec = 7");
        QTest::newRow("missing") << QByteArray("DELETE FROM event_chunk");
        QTest::newRow("total") << QByteArray("UPDATE recording SET events = 9000000000");
        QTest::newRow("names") << QByteArray("DELETE FROM op_name");
        QTest::newRow("ops") << QByteArray("DELETE FROM op_record WHERE position > 2");
        QTest::newRow("baseline") << QByteArray("UPDATE baseline SET bytes = 9223372036854775807");
        QTest::newRow("schedule") << QByteArray("UPDATE schedule SET json = '[]'; UPDATE event_chunk SET codec = 2");
    }
    void recording_corruptedChunk_isASentenceAndFoundByCheck()
    {
        QFETCH(QByteArray, sql);
        TempSession file;
        file.measure({"every:1"});
        QVERIFY2(!file.sql(sql.toStdString()).starts_with("error"), sql.constData());
        auto session = Session::open(file.path()).value();
        const auto recording = session.recording(1);
        QVERIFY(!recording.has_value());
        QVERIFY(recording.error().message.ends_with('.'));
        const auto check = Session::check(file.path());
        QVERIFY(check.has_value());
        QVERIFY(!check->ok);
    }

    void open_readOnlyFolder_works()
    {
        TempSession file;
        file.measure({"none", "every:1"});
        // The temporary folder itself is open to its owner only.
        QCOMPARE(chmod(file.path().c_str(), 0444), 0);
        QCOMPARE(chmod(file.folder().c_str(), 0555), 0);
        const int code = asNobody([&] {
            auto session = Session::open(file.path());
            if (!session || session->writable() || session->writableNote().empty())
                return 1;
            if (session->runs().value().size() != 2 || session->recording(1)->events.empty())
                return 2;
            if (session->setNote(1, "x") || SessionWriter::open(file.path()))
                return 3;
            return Session::check(file.path())->ok ? 0 : 4;
        });
        chmod(file.folder().c_str(), 0700);
        QCOMPARE(code, 0);
        QCOMPARE(QDir(QString::fromStdString(file.folder())).entryList(QDir::Files), QStringList{"test.remat"});
    }

    void open_strangeCharactersInThePath_work()
    {
        TempSession file;
        file.measure({"none"});
        const std::string strange = file.folder() + "/a ?b#c%41:é.remat";
        QVERIFY(QFile::copy(QString::fromStdString(file.path()), QString::fromStdString(strange)));
        QCOMPARE(int(Session::open(strange)->runs()->size()), 1);
        QCOMPARE(chmod(strange.c_str(), 0444), 0);
        QCOMPARE(chmod(file.folder().c_str(), 0555), 0);
        const int code = asNobody([&] { return Session::open(strange) ? 0 : 1; });
        chmod(file.folder().c_str(), 0700);
        QCOMPARE(code, 0);
    }
};

REMAT_TEST(tst_session_files);
#include "tst_session_files.moc"
