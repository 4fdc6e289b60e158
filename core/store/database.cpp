// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/database.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "store/store_guard.h"

namespace remat::core {

namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;
constexpr int kBusyMs = 5000;
// No text or blob that this program writes is larger; what claims more is not believed.
constexpr int kLongestValue = 64 * 1024 * 1024;
// A full check reads the whole file: at every opening only where that takes no time.
constexpr Bytes kQuickCheckBelow = 8 * 1024 * 1024;

Error refused(const std::string &path, const std::string &what)
{
    return {ErrorCode::refused, quoteText(path, 200) + " " + what};
}

int bigEndian(const std::array<unsigned char, kHeaderBytes> &header, std::size_t at)
{
    return static_cast<int>((static_cast<unsigned>(header[at]) << 24U) | (static_cast<unsigned>(header[at + 1]) << 16U)
                            | (static_cast<unsigned>(header[at + 2]) << 8U) | header[at + 3]);
}

bool mayWrite(const std::string &path)
{
    return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::string folderOf(const std::string &path)
{
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> readHeader(const std::string &path, SessionFile &file)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return refused(path, std::string("cannot be read (") + std::strerror(errno) + "); check its permissions.");
    std::array<unsigned char, kHeaderBytes> header{};
    const ssize_t got = pread(descriptor, header.data(), header.size(), 0);
    close(descriptor);
    const bool isSqlite = got == static_cast<ssize_t>(header.size())
        && std::memcmp(header.data(), kSqliteMagic.data(), kSqliteMagic.size()) == 0;
    if (!isSqlite)
        return refused(path, "is no session file; open a file that `remat measure --session` or the window wrote.");
    if (bigEndian(header, kApplicationIdAt) != kApplicationId)
        return refused(path, "is a database of another program, not a session; nothing was changed in it.");
    file.schema = bigEndian(header, kUserVersionAt);
    return {};
}

/// SQLite reads '%', '?' and '#' of a URI; everything but plain characters is escaped.
std::string uriFor(const std::string &path)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string uri = path.starts_with('/') ? "file://" : "file:";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')
            || byte == '/' || byte == '.' || byte == '_' || byte == '-';
        if (plain)
            uri.push_back(c);
        else
            (uri += '%').append({kHex[byte >> 4U], kHex[byte & 15U]});
    }
    return uri + "?immutable=1";
}

void applySafety(SQLite::Database &db)
{
    sqlite3 *handle = db.getHandle();
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1); // VACUUM INTO needs one
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    db.setBusyTimeout(kBusyMs);
    db.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON");
}

/// Relative paths starting with a colon or "file:" mean something else to SQLite.
std::string plainPath(const std::string &path)
{
    return path.starts_with('/') ? path : "./" + path;
}

std::unique_ptr<SQLite::Database> connect(const std::string &path, const SessionFile &file, OpenMode mode,
                                          Database &database)
{
    const int readWrite = SQLite::OPEN_READWRITE | (mode == OpenMode::create ? SQLite::OPEN_CREATE : 0);
    const bool newer = file.schema > kSchemaVersion;
    if (newer)
        database.note = "The session was written by a newer version of this program, so it is open for reading only.";
    else if (file.exists && (!file.fileWritable || !file.folderWritable))
        database.note = "The session lies in a place that cannot be written, so notes and stars cannot be kept.";
    database.writable = database.note.empty();
    const std::string plain = plainPath(path);
    if (database.writable)
        return std::make_unique<SQLite::Database>(plain, readWrite);
    if (!file.folderWritable && !file.hasLog)
        return std::make_unique<SQLite::Database>(uriFor(plain), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    // The log's index must be written even for reading; the file itself is protected by the connection.
    auto connection = std::make_unique<SQLite::Database>(
        plain, file.folderWritable && file.fileWritable ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY);
    connection->exec("PRAGMA query_only=ON");
    return connection;
}

using Objects = std::map<std::pair<std::string, std::string>, std::string>;

Objects objectsOf(SQLite::Database &db)
{
    Objects objects;
    SQLite::Statement query(db, "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
    while (query.executeStep())
        objects[{query.getColumn(0).getString(), query.getColumn(1).getString()}] = query.getColumn(2).getString();
    return objects;
}

const Objects &expectedObjects()
{
    static const Objects objects = [] {
        SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        for (const Migration &migration : migrations())
            db.exec(migration.sql);
        return objectsOf(db);
    }();
    return objects;
}

} // namespace

Result<SessionFile> inspectFile(const std::string &path)
{
    SessionFile file;
    const std::string folder = folderOf(path);
    file.folderWritable = mayWrite(folder);
    struct stat status
    {
    };
    if (stat(path.c_str(), &status) != 0) {
        if (errno != ENOENT)
            return refused(path, std::string("cannot be opened (") + std::strerror(errno) + "); check the path.");
        return file;
    }
    if (!S_ISREG(status.st_mode))
        return refused(path, "is no file; name a session file.");
    file.exists = true;
    file.fileWritable = mayWrite(path);
    file.hasLog = access((path + "-wal").c_str(), F_OK) == 0;
    if (status.st_size == 0) {
        file.empty = true;
        return file;
    }
    if (auto read = readHeader(path, file); !read)
        return read.error();
    return file;
}

Result<Database> openDatabase(const std::string &path, OpenMode mode)
{
    auto file = inspectFile(path);
    if (!file)
        return file.error();
    // A file of no bytes is what a program leaves that died before its first commit.
    if (mode != OpenMode::create && !file->exists)
        return refused(path, "does not exist; name a session that was measured before.");
    if (mode != OpenMode::create && file->empty)
        return refused(path, "is empty; it holds no session.");
    if (mode != OpenMode::read && file->schema > kSchemaVersion)
        return refused(path,
                       "was written by a newer version of this program and cannot be added to; update the program or "
                       "choose another session.");
    return guarded(path, [&]() -> Result<Database> {
        Database database;
        database.path = path;
        database.connection = connect(path, *file, mode, database);
        applySafety(database.db());
        if (mode != OpenMode::read && !database.writable)
            return Error{ErrorCode::failed,
                         "The session " + quoteText(path, 200)
                             + " cannot be written here; copy it to a folder you can write."};
        if (file->exists && !file->empty) {
            struct stat status
            {
            };
            if (stat(path.c_str(), &status) == 0 && status.st_size < kQuickCheckBelow) {
                const std::string found = database.db().execAndGet("PRAGMA quick_check(1)").getString();
                if (found != "ok")
                    return Error{ErrorCode::failed,
                                 "The session " + quoteText(path, 200) + " is damaged ("
                                     + cleanUtf8(found).substr(0, 200) + "); `remat check` tells more."};
            }
        }
        return database;
    });
}

Result<void> checkSchema(Database &database)
{
    const Objects found = objectsOf(database.db());
    const int version = database.db().execAndGet("PRAGMA user_version").getInt();
    for (const auto &[key, sql] : expectedObjects()) {
        const auto it = found.find(key);
        // A newer version may have changed a table; this program then reads the views as far as they go.
        const bool same = it != found.end() && (version > kSchemaVersion || it->second == sql);
        if (!same) {
            return Error{ErrorCode::failed,
                         "The session " + quoteText(database.path, 200) + " is damaged or was altered: its " + key.first
                             + " " + quoteText(key.second) + " is not as it should be."};
        }
    }
    for (const auto &[key, sql] : found) {
        const bool strangeTrigger
            = key.first == "trigger" && expectedObjects().count(key) == 0 && version <= kSchemaVersion;
        if (strangeTrigger) {
            return Error{ErrorCode::failed,
                         "The session " + quoteText(database.path, 200) + " was altered: it has a foreign trigger "
                             + quoteText(key.second) + "."};
        }
    }
    return {};
}

Result<void> migrate(Database &database, const std::vector<Migration> &list)
{
    SQLite::Database &db = database.db();
    int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version > 0 && version < list.back().to) {
        const std::string copy = database.path + ".v" + std::to_string(version);
        if (access(copy.c_str(), F_OK) != 0) {
            SQLite::Statement statement(db, "VACUUM INTO ?");
            statement.bind(1, copy);
            statement.exec();
        }
    }
    for (const Migration &migration : list) {
        if (migration.to <= version)
            continue;
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        if (migration.to == 1)
            db.exec("PRAGMA application_id=" + std::to_string(kApplicationId));
        db.exec(migration.sql);
        db.exec("PRAGMA user_version=" + std::to_string(migration.to));
        transaction.commit();
        version = migration.to;
    }
    return {};
}

} // namespace remat::core
