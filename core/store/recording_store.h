// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/recording.h"
#include "store/database.h"

namespace remat::core {

// A run's recording in the session: names, ops and baseline as rows, events as chunks. Both throw what SQLiteCpp throws.

void insertRecording(SQLite::Database &db, std::int64_t run, const Recording &recording);

/// Empty where the run has none. Every count, index and total is checked before it is used.
[[nodiscard]] Result<Recording> readRecording(SQLite::Database &db, std::int64_t run);

/// As they were stored with the recording; empty where an older program stored it.
[[nodiscard]] Result<std::vector<KeptBlock>> readKeptBlocks(SQLite::Database &db, std::int64_t run);

} // namespace remat::core
