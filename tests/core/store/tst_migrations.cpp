// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/database.h"

#include "store/lock_file.h"
#include "store/session.h"
#include "store/session_writer.h"
#include "store/store_guard.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

std::vector<Migration> withNext(const char *sql)
{
    std::vector<Migration> list = migrations();
    list.push_back({list.back().to + 1, sql});
    return list;
}

/// Runs without one of the counts that older versions wrote as 0.
constexpr const char *kUnknownCounts = "SELECT count(*) FROM points WHERE segments_recomputed IS NULL AND "
                                       "segments_total IS NULL AND skipped_steps IS NULL "
                                       "AND missing_gradients IS NULL";

Result<void> migrateFile(const std::string &path, const std::vector<Migration> &list)
{
    auto database = openDatabase(path, OpenMode::write);
    if (!database)
        return database.error();
    return guarded(path, [&] { return migrate(*database, list); });
}

} // namespace

class tst_migrations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void migrations_areNumberedWithoutGaps()
    {
        int expected = 1;
        for (const Migration &migration : migrations())
            QCOMPARE(migration.to, expected++);
        QCOMPARE(migrations().back().to, kSchemaVersion);
    }

    void migrate_next_copiesFirstAndBumpsTheVersion()
    {
        TempSession file;
        file.measure({"none"});
        QVERIFY(migrateFile(file.path(), withNext("ALTER TABLE run ADD COLUMN extra INTEGER")).has_value());
        QCOMPARE(file.sql("PRAGMA user_version"), std::to_string(kSchemaVersion + 1));
        QCOMPARE(file.sql("SELECT count(extra) FROM run"), std::string("0"));
        const std::string copy = file.path() + ".v" + std::to_string(kSchemaVersion);
        QCOMPARE(int(Session::open(copy)->runs()->size()), 1);
    }

    void migrate_failing_leavesTheOldVersionWhole()
    {
        TempSession file;
        file.measure({"none"});
        const auto migrated = migrateFile(file.path(), withNext("DROP VIEW points; DROP TABLE no_such_table"));
        QVERIFY(!migrated.has_value());
        QCOMPARE(file.sql("PRAGMA user_version"), std::to_string(kSchemaVersion));
        QVERIFY(Session::open(file.path()).has_value());
        QVERIFY(Session::check(file.path())->ok);
    }

    void version1_ofTheRepository_opensAndIsComplete()
    {
        // Written by the first version of the program; every later one must read it.
        TempSession file;
        const QString old = QStringLiteral(REMAT_TEST_DATA "/session_v1.remat");
        QVERIFY(QFile::exists(old));
        QVERIFY(QFile::copy(old, QString::fromStdString(file.path())));
        QVERIFY(QFile(QString::fromStdString(file.path())).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        auto session = Session::open(file.path());
        QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
        const auto runs = session->runs().value();
        QCOMPARE(int(runs.size()), 3);
        QCOMPARE(runs[0].point.strategy, std::string("none"));
        QVERIFY(runs[0].point.status == RunStatus::doesNotFit);
        QVERIFY(runs[1].point.status == RunStatus::done);
        QCOMPARE(runs[1].point.strategy, std::string("every:1"));
        QCOMPARE(runs[1].point.peakBytes, runs[1].point.predictedPeakBytes);
        QVERIFY(runs[1].point.peakBytes > 0);
        QCOMPARE(runs[2].note, std::string("kept from version 1"));
        QVERIFY(runs[2].starred);
        QCOMPARE(peaksOf(session->recording(2).value()).peak, runs[1].point.peakBytes);
        QVERIFY(session->costs(1).value().has_value());
        QCOMPARE(runs[1].point.optimizer, optimizerText(session->workloads().value().front().workload));
        QCOMPARE(runs[1].point.train, std::string("all"));
        QCOMPARE(runs[1].point.lossDtype, std::string("fp32"));
        QCOMPARE(file.sql("SELECT count(*) FROM kept_blocks"), std::string("0"));
        QVERIFY(!session->keptBlocks(2)->empty()); // found in the recording
        QVERIFY(!session->schedule(3)->ops.empty());
        QVERIFY(Session::check(file.path())->ok);
        QVERIFY(SessionWriter::open(file.path()).has_value());
        QCOMPARE(file.sql("PRAGMA user_version"), std::to_string(kSchemaVersion));
        QCOMPARE(file.sql(kUnknownCounts), std::string("3")); // version 1 did not count
    }

    void version2_ofTheRepository_countsWhatWasMeasured()
    {
        TempSession file;
        const QString old = QStringLiteral(REMAT_TEST_DATA "/session_v2.remat");
        QVERIFY(QFile::copy(old, QString::fromStdString(file.path())));
        QVERIFY(QFile(QString::fromStdString(file.path())).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        auto session = Session::open(file.path());
        QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
        const auto runs = session->runs().value();
        QCOMPARE(int(runs.size()), 4);
        QVERIFY(runs[0].point.updateInBackward && runs[1].point.updateInBackward && !runs[2].point.updateInBackward);
        const auto counts = [&](std::size_t i) {
            const Point &point = runs[i].point;
            return QVector<qint64>{point.segmentsRecomputed, point.segmentsTotal, point.skippedSteps,
                                   point.missingGradients};
        };
        QCOMPARE(counts(0), (QVector<qint64>{0, 0, 0, 0}));
        QCOMPARE(counts(1), (QVector<qint64>{2, 2, 0, 0}));
        QVERIFY(runs[3].point.status == RunStatus::doesNotFit);
        QCOMPARE(counts(3), (QVector<qint64>{-1, -1, -1, -1}));
        QCOMPARE(file.sql(kUnknownCounts), std::string("1"));
        QVERIFY(toJson(runs[3].point).at("skipped_steps").is_null());
        QCOMPARE(runs[1].point.pagingSuspected, std::string());
        QCOMPARE(peaksOf(session->recording(2).value()).peak, runs[1].point.peakBytes);
        QVERIFY(file.sql("UPDATE run SET reason = 'x' WHERE id = 1").starts_with("error"));
        QVERIFY(file.sql("UPDATE result SET loss = 0 WHERE run = 1").starts_with("error"));
        QVERIFY(Session::check(file.path())->ok);
    }

    void lock_isExclusiveAndLeavesNoFile()
    {
        TempSession file;
        {
            auto lock = LockFile::take(file.path());
            QVERIFY(lock.has_value());
            QVERIFY(!LockFile::take(file.path()).has_value());
            LockFile moved = std::move(*lock);
            QVERIFY(!LockFile::take(file.path()).has_value());
        }
        QVERIFY(!QFile::exists(QString::fromStdString(file.path() + ".lock")));
        QVERIFY(LockFile::take(file.path()).has_value());
    }
};

REMAT_TEST(tst_migrations);
#include "tst_migrations.moc"
