// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "store/database.h"
#include "store/session.h"

namespace remat::core {

// Rows of the session's small tables. All of these throw what SQLiteCpp throws; callers run them inside guarded().

/// UTC, ISO 8601 with milliseconds.
[[nodiscard]] std::string utcNow();

/// The id of a text in the string table; made where it is new.
[[nodiscard]] std::int64_t intern(SQLite::Database &db, const std::string &text);

[[nodiscard]] std::int64_t storeWorkload(SQLite::Database &db, const ModelConfig &model, const Workload &workload);
void storeCosts(SQLite::Database &db, std::int64_t workload, const ChainCosts &costs);
[[nodiscard]] std::int64_t insertRun(SQLite::Database &db, std::int64_t workload, const Point &point,
                                     const Schedule &schedule);
void insertResult(SQLite::Database &db, std::int64_t run, const Point &point);

/// Sets the final status; false where the run has one already.
bool setFinalStatus(SQLite::Database &db, std::int64_t run, RunStatus status, const std::string &reason);

/// Gives all runs that are queued or running a final status; returns how many there were.
int closeUnfinished(SQLite::Database &db, RunStatus status, const std::string &reason);

[[nodiscard]] Result<std::vector<StoredRun>> readRuns(SQLite::Database &db);
[[nodiscard]] Result<std::vector<StoredWorkload>> readWorkloads(SQLite::Database &db);

} // namespace remat::core
