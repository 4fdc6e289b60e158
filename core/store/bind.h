// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

namespace remat::core {

// Binds a value where it is known, and NULL where it is not. All of these throw what SQLiteCpp throws.

/// Bytes or a count.
inline void bindBytes(SQLite::Statement &statement, const char *name, std::int64_t bytes)
{
    if (bytes < 0)
        statement.bind(name);
    else
        statement.bind(name, bytes);
}

inline void bindText(SQLite::Statement &statement, const char *name, const std::string &text)
{
    if (text.empty())
        statement.bind(name);
    else
        statement.bind(name, text);
}

inline void bindIf(SQLite::Statement &statement, const char *name, bool known, std::int64_t value)
{
    if (known)
        statement.bind(name, value);
    else
        statement.bind(name);
}

inline void bindReal(SQLite::Statement &statement, const char *name, bool known, double value)
{
    if (known && std::isfinite(value))
        statement.bind(name, value);
    else
        statement.bind(name);
}

/// The first column of the first row; 0 without one.
inline std::int64_t firstId(SQLite::Statement &statement)
{
    const bool found = statement.executeStep();
    return found ? statement.getColumn(0).getInt64() : 0;
}

} // namespace remat::core
