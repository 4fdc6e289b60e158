// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/session.h"

#include <fstream>

#include <unistd.h>

#include "base/text.h"
#include "store/database.h"
#include "store/lock_file.h"
#include "store/recording_store.h"
#include "store/rows.h"
#include "store/store_guard.h"

namespace remat::core {

struct Session::Private
{
    Database database;

    [[nodiscard]] SQLite::Database &db() const { return database.db(); }
};

namespace {

Error noSuchRun(std::int64_t run, const std::string &path)
{
    return {ErrorCode::usage,
            "The session " + quoteText(path, 200) + " has no run " + std::to_string(run)
                + "; `remat show` lists them."};
}

bool hasRun(SQLite::Database &db, std::int64_t run)
{
    SQLite::Statement query(db, "SELECT 1 FROM run WHERE id = ?");
    query.bind(1, run);
    return query.executeStep();
}

/// Older sessions are brought up to date at their first opening, which needs the writer's lock for a moment.
Result<void> upgrade(Database &database)
{
    const int version = database.db().execAndGet("PRAGMA user_version").getInt();
    if (version >= kSchemaVersion)
        return {};
    if (!database.writable) {
        return Error{
            ErrorCode::failed,
            "The session " + quoteText(database.path, 200)
                + " has an older format and lies where it cannot be written; copy it to a folder you can write."};
    }
    auto lock = LockFile::take(database.path);
    if (!lock)
        return lock.error();
    return migrate(database, migrations());
}

enum class UserColumn { note, starred, hidden };

Result<void> setUserColumn(Database &database, std::int64_t run, UserColumn column, const std::string &text, bool flag)
{
    if (!database.writable)
        return Error{ErrorCode::failed, database.note};
    return guarded(database.path, [&]() -> Result<void> {
        SQLite::Transaction transaction(database.db(), SQLite::TransactionBehavior::IMMEDIATE);
        if (!hasRun(database.db(), run))
            return noSuchRun(run, database.path);
        const char *name = column == UserColumn::note ? "note" : column == UserColumn::starred ? "starred" : "hidden";
        SQLite::Statement upsert(database.db(),
                                 std::string("INSERT INTO user_run(run, ") + name
                                     + ") VALUES (?1, ?2) ON CONFLICT(run) DO UPDATE SET " + name + " = excluded."
                                     + name);
        upsert.bind(1, run);
        if (column == UserColumn::note)
            upsert.bind(2, text);
        else
            upsert.bind(2, flag ? 1 : 0);
        upsert.exec();
        transaction.commit();
        return {};
    });
}

} // namespace

Session::Session(std::unique_ptr<Private> opened) : d(std::move(opened)) { }
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

bool looksLikeSession(const std::string &path)
{
    std::string head(kSqliteMagic.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == kSqliteMagic;
}

Result<Session> Session::open(const std::string &path)
{
    auto database = openDatabase(path, OpenMode::read);
    if (!database)
        return database.error();
    auto checked = guarded(path, [&]() -> Result<void> {
        if (auto upgraded = upgrade(*database); !upgraded)
            return upgraded.error();
        return checkSchema(*database);
    });
    if (!checked)
        return checked.error();
    return Session(std::make_unique<Private>(Private{std::move(*database)}));
}

const std::string &Session::path() const
{
    return d->database.path;
}

bool Session::writable() const
{
    return d->database.writable;
}

const std::string &Session::writableNote() const
{
    return d->database.note;
}

Result<std::vector<StoredWorkload>> Session::workloads() const
{
    return guarded(path(), [&] { return readWorkloads(d->db()); });
}

Result<std::vector<StoredRun>> Session::runs() const
{
    return guarded(path(), [&] { return readRuns(d->db()); });
}

Result<Schedule> Session::schedule(std::int64_t run) const
{
    return guarded(path(), [&]() -> Result<Schedule> {
        SQLite::Statement query(
            d->db(), "SELECT schedule.json FROM run JOIN schedule ON schedule.id = run.schedule WHERE run.id = ?");
        query.bind(1, run);
        if (!query.executeStep())
            return noSuchRun(run, path());
        auto json = parseJson(query.getColumn(0).getString(), "The stored schedule");
        if (!json)
            return json.error();
        auto plan = planFromJson(*json, "The stored schedule");
        if (!plan)
            return plan.error();
        return std::move(plan->schedule);
    });
}

Result<Recording> Session::recording(std::int64_t run) const
{
    return guarded(path(), [&]() -> Result<Recording> {
        // One read transaction, so that all parts are of one moment.
        SQLite::Transaction transaction(d->db());
        if (!hasRun(d->db(), run))
            return noSuchRun(run, path());
        return readRecording(d->db(), run);
    });
}

Result<std::vector<KeptBlock>> Session::keptBlocks(std::int64_t run) const
{
    return guarded(path(), [&]() -> Result<std::vector<KeptBlock>> {
        SQLite::Transaction transaction(d->db());
        if (!hasRun(d->db(), run))
            return noSuchRun(run, path());
        auto stored = readKeptBlocks(d->db(), run);
        if (!stored || !stored->empty())
            return stored;
        // Sessions of the first version hold the recording alone.
        auto recording = readRecording(d->db(), run);
        if (!recording)
            return recording.error();
        return core::keptBlocks(*recording);
    });
}

Result<std::optional<ChainCosts>> Session::costs(std::int64_t workload) const
{
    return guarded(path(), [&]() -> Result<std::optional<ChainCosts>> {
        SQLite::Statement query(d->db(), "SELECT json FROM cost_set WHERE workload = ? ORDER BY id DESC LIMIT 1");
        query.bind(1, workload);
        if (!query.executeStep())
            return std::optional<ChainCosts>();
        const auto json = parseJson(query.getColumn(0).getString(), "The stored costs");
        if (!json)
            return json.error();
        auto costs = costsFromJson(*json, "The stored costs");
        if (!costs)
            return costs.error();
        return std::optional<ChainCosts>(std::move(*costs));
    });
}

Result<std::int64_t> Session::dataVersion() const
{
    return guarded(path(),
                   [&]() -> Result<std::int64_t> { return d->db().execAndGet("PRAGMA data_version").getInt64(); });
}

Result<void> Session::setNote(std::int64_t run, const std::string &note)
{
    return setUserColumn(d->database, run, UserColumn::note, note, false);
}

Result<void> Session::setStarred(std::int64_t run, bool starred)
{
    return setUserColumn(d->database, run, UserColumn::starred, {}, starred);
}

Result<void> Session::setHidden(std::int64_t run, bool hidden)
{
    return setUserColumn(d->database, run, UserColumn::hidden, {}, hidden);
}

Result<void> Session::saveCopy(const std::string &target) const
{
    if (access(target.c_str(), F_OK) == 0)
        return Error{ErrorCode::failed, quoteText(target, 200) + " exists already; choose another name for the copy."};
    return guarded(target, [&]() -> Result<void> {
        SQLite::Statement vacuum(d->db(), "VACUUM INTO ?");
        vacuum.bind(1, target);
        vacuum.exec();
        return {};
    });
}

} // namespace remat::core
