// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/store_guard.h"

#include <exception>

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include "base/text.h"

namespace remat::core {

namespace {

std::string sentenceFor(int code, const std::string &session, const std::string &detail)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return session + " could not be written because the disk is full; free some space and measure again.";
    case SQLITE_IOERR:
        return session + " could not be read or written (" + detail + "); check the disk and its free space.";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return session + " is in use by another program; try again when that has finished.";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return session + " is damaged (" + detail + "); `remat check` tells more.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return session + " cannot be opened or written here (" + detail + "); copy it to a folder you can write.";
    default:
        return session + " could not be used (" + detail + ").";
    }
}

} // namespace

Error storeError(const std::string &path)
{
    const std::string session = "The session " + quoteText(path, 200);
    try {
        throw;
    } catch (const SQLite::Exception &exception) {
        return {ErrorCode::failed, sentenceFor(exception.getErrorCode(), session, exception.what())};
    } catch (const std::exception &exception) {
        return {ErrorCode::failed, session + " could not be used (" + exception.what() + ")."};
    }
}

} // namespace remat::core
