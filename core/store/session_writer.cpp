// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/session_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "base/text.h"
#include "store/database.h"
#include "store/lock_file.h"
#include "store/recording_store.h"
#include "store/rows.h"
#include "store/store_guard.h"

namespace remat::core {

struct SessionWriter::Private
{
    Private(Database opened, LockFile taken) : database(std::move(opened)), lock(std::move(taken)) { }

    [[nodiscard]] SQLite::Database &db() const { return database.db(); }

    Database database; // closed before the lock is let go: members die in reverse order
    LockFile lock;
    std::int64_t workload = 0;
};

namespace {

constexpr const char *kLeftOpen = "The program that measured it ended before the run was finished.";

/// A session appears under its name only when it is whole: the schema is made in a file beside it.
Result<void> createSession(const std::string &path)
{
    const std::string fresh = path + ".new";
    // Logs without their file, left by a crash or by somebody who removed it, would be applied to the new one.
    for (const std::string &file : {fresh, path}) {
        for (const char *log : {"-journal", "-wal", "-shm"})
            unlink((file + log).c_str());
    }
    unlink(fresh.c_str());
    auto database = openDatabase(fresh, OpenMode::create);
    if (!database)
        return database.error();
    auto made = guarded(fresh, [&] { return migrate(*database, migrations()); });
    database->connection.reset();
    if (made && std::rename(fresh.c_str(), path.c_str()) != 0)
        made = Error{ErrorCode::failed,
                     "The session " + quoteText(path, 200) + " could not be made (" + std::strerror(errno)
                         + "); choose a folder you can write."};
    if (!made) {
        unlink(fresh.c_str());
        return made.error();
    }
    return {};
}

Result<void> prepareForWriting(Database &database, const std::string &leftOpen)
{
    // Where shared memory does not work (network folders) SQLite stays in rollback mode by itself.
    database.db().exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
    if (auto migrated = migrate(database, migrations()); !migrated)
        return migrated.error();
    if (auto checked = checkSchema(database); !checked)
        return checked.error();
    closeUnfinished(database.db(), RunStatus::interrupted, leftOpen.empty() ? kLeftOpen : leftOpen);
    return {};
}

} // namespace

SessionWriter::SessionWriter(std::unique_ptr<Private> opened) : d(std::move(opened)) { }

SessionWriter::~SessionWriter()
{
    // A close that cannot tidy up loses nothing: the next opening does it.
    (void)guarded(d->database.path, [this]() -> Result<void> {
        d->db().exec("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
        return {};
    }).has_value();
}

Result<std::unique_ptr<SessionWriter>> SessionWriter::open(const std::string &path, const std::string &leftOpen)
{
    auto file = inspectFile(path);
    if (!file)
        return file.error();
    auto lock = LockFile::take(path);
    if (!lock)
        return lock.error();
    file = inspectFile(path); // another writer may have made it meanwhile
    if (!file)
        return file.error();
    if (!file->exists || file->empty) {
        if (auto created = createSession(path); !created)
            return created.error();
    }
    auto database = openDatabase(path, OpenMode::write);
    if (!database)
        return database.error();
    auto prepared = guarded(path, [&] { return prepareForWriting(*database, leftOpen); });
    if (!prepared)
        return prepared.error();
    return std::unique_ptr<SessionWriter>(
        new SessionWriter(std::make_unique<Private>(std::move(*database), std::move(*lock))));
}

Result<std::int64_t> SessionWriter::beginSweep(const SweepPlan &plan)
{
    return guarded(d->database.path, [&]() -> Result<std::int64_t> {
        SQLite::Transaction transaction(d->db(), SQLite::TransactionBehavior::IMMEDIATE);
        d->workload = storeWorkload(d->db(), plan.model, plan.workload);
        transaction.commit();
        return d->workload;
    });
}

void SessionWriter::progress(const Progress &) { }

Result<void> SessionWriter::costs(const ChainCosts &costs)
{
    return guarded(d->database.path, [&]() -> Result<void> {
        SQLite::Transaction transaction(d->db(), SQLite::TransactionBehavior::IMMEDIATE);
        storeCosts(d->db(), d->workload, costs);
        transaction.commit();
        return {};
    });
}

Result<std::int64_t> SessionWriter::started(const Point &point, const Schedule &schedule)
{
    return guarded(d->database.path, [&]() -> Result<std::int64_t> {
        SQLite::Transaction transaction(d->db(), SQLite::TransactionBehavior::IMMEDIATE);
        const std::int64_t run = insertRun(d->db(), d->workload, point, schedule);
        transaction.commit();
        return run;
    });
}

Result<void> SessionWriter::finished(const FinishedRun &run)
{
    return guarded(d->database.path, [&]() -> Result<void> {
        SQLite::Transaction transaction(d->db(), SQLite::TransactionBehavior::IMMEDIATE);
        insertResult(d->db(), run.point.run, run.point);
        if (!run.recording.ops.empty())
            insertRecording(d->db(), run.point.run, run.recording);
        if (!setFinalStatus(d->db(), run.point.run, run.point.status, run.point.reason))
            return Error{ErrorCode::failed,
                         "Run " + std::to_string(run.point.run)
                             + " of the session is finished already and is not changed."};
        transaction.commit();
        return {};
    });
}

Result<int> SessionWriter::closeOpenRuns(RunStatus status, const std::string &reason)
{
    return guarded(d->database.path, [&]() -> Result<int> { return closeUnfinished(d->db(), status, reason); });
}

} // namespace remat::core
