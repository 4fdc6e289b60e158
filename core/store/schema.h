// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace remat::core {

inline constexpr int kApplicationId = 0x52454D54; // "REMT"
inline constexpr int kSchemaVersion = 3;

/// SQL that takes a session from version `to` - 1 to `to`; version 0 is an empty file.
struct Migration
{
    int to = 0;
    const char *sql = nullptr;
};

/// All migrations in order; the last leads to kSchemaVersion.
[[nodiscard]] const std::vector<Migration> &migrations();

} // namespace remat::core
