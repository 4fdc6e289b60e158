// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "base/result.h"
#include "store/schema.h"

namespace remat::core {

/// How every file of SQLite begins.
inline constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

/// What the first bytes and the folder of a session file tell before SQLite sees it.
struct SessionFile
{
    bool exists = false;
    bool empty = false; // no bytes yet: may become a session
    int schema = 0;
    bool fileWritable = false;
    bool folderWritable = false;
    bool hasLog = false; // a write-ahead log lies beside it
};

/// Reads the header. Errors: a directory, unreadable, no SQLite file, another program's file.
[[nodiscard]] Result<SessionFile> inspectFile(const std::string &path);

/// An open connection with the safety settings of an untrusted file. One thread. The functions below throw what
/// SQLiteCpp throws; callers run them inside guarded().
struct Database
{
    std::unique_ptr<SQLite::Database> connection;
    std::string path;
    bool writable = false;
    std::string note; // why it is not writable

    [[nodiscard]] SQLite::Database &db() const { return *connection; }
};

enum class OpenMode { read, write, create };
[[nodiscard]] Result<Database> openDatabase(const std::string &path, OpenMode mode);

/// Checks that tables, views and triggers are exactly those of this program's version.
[[nodiscard]] Result<void> checkSchema(Database &database);

/// Brings a session to the last version of `list`, each step in a transaction of its own. A copy "<path>.v<old>" is made
/// before the first step of a file that holds something. The caller holds the writer lock.
[[nodiscard]] Result<void> migrate(Database &database, const std::vector<Migration> &list);

} // namespace remat::core
