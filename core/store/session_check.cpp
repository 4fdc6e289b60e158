// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"
#include "store/database.h"
#include "store/recording_store.h"
#include "store/rows.h"
#include "store/session.h"
#include "store/store_guard.h"

namespace remat::core {

namespace {

constexpr int kMostProblems = 100;

void checkPages(SQLite::Database &db, SessionCheck &check)
{
    SQLite::Statement pages(db, "PRAGMA integrity_check(100)");
    while (pages.executeStep()) {
        const std::string found = pages.getColumn(0).getString();
        if (found != "ok")
            check.problems.push_back("The file is damaged: " + cleanUtf8(found));
    }
    SQLite::Statement keys(db, "PRAGMA foreign_key_check");
    for (int i = 0; i < kMostProblems && keys.executeStep(); ++i)
        check.problems.push_back("A row of table " + quoteText(keys.getColumn(0).getString())
                                 + " refers to one that is missing.");
}

void checkRun(SQLite::Database &db, const StoredRun &run, SessionCheck &check)
{
    const std::int64_t id = run.point.run;
    SQLite::Statement result(db, "SELECT count(*) FROM result WHERE run = ?");
    result.bind(1, id);
    result.executeStep();
    const bool hasResult = result.getColumn(0).getInt() == 1;
    const auto recording = readRecording(db, id);
    if (!recording)
        check.problems.push_back(recording.error().message);
    const std::string name = "Run " + std::to_string(id);
    if (run.point.status == RunStatus::done) {
        if (!hasResult)
            check.problems.push_back(name + " is done but has no result.");
        if (recording && !recording->events.empty() && peaksOf(*recording).peak != run.point.peakBytes)
            check.problems.push_back(name + " has a recording whose peak is not the one of its result.");
    }
    const bool open = run.point.status == RunStatus::queued || run.point.status == RunStatus::running;
    if (open && (hasResult || (recording && !recording->ops.empty())))
        check.problems.push_back(name + " is not finished but has a part of its result.");
}

} // namespace

Result<SessionCheck> Session::check(const std::string &path)
{
    SessionCheck check;
    if (auto file = inspectFile(path); !file)
        return file.error();
    auto database = openDatabase(path, OpenMode::read);
    if (!database && database.error().code == ErrorCode::refused)
        return database.error();
    if (!database) {
        check.problems.push_back(database.error().message);
        return check;
    }
    const auto checked = guarded(path, [&]() -> Result<void> {
        SQLite::Database &db = database->db();
        check.schema = db.execAndGet("PRAGMA user_version").getInt();
        checkPages(db, check);
        if (auto schema = checkSchema(*database); !schema)
            return schema.error();
        const auto runs = readRuns(db);
        if (!runs)
            return runs.error();
        check.runs = static_cast<int>(runs->size());
        for (const StoredRun &run : *runs)
            checkRun(db, run, check);
        const auto workloads = readWorkloads(db);
        return workloads ? Result<void>() : workloads.error();
    });
    if (!checked)
        check.problems.push_back(checked.error().message);
    check.ok = check.problems.empty();
    return check;
}

} // namespace remat::core
