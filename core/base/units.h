// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace remat::core {

/// Sizes are whole bytes and times whole nanoseconds everywhere; the alias names the unit at each use.
using Bytes = std::int64_t;
using Nanoseconds = std::int64_t;

/// "43.1 MiB", "512 B": binary units, three significant digits. Negative values keep their sign.
[[nodiscard]] std::string formatBytes(Bytes bytes);

/// "118 ms", "1.24 s", "9.30 µs": three significant digits.
[[nodiscard]] std::string formatDuration(Nanoseconds ns);

/// Digits, or digits (with an optional fraction) and one of KiB MiB GiB TiB kB MB GB TB. Refuses signs, overflow, rest.
[[nodiscard]] Result<Bytes> parseBytes(std::string_view text);

} // namespace remat::core
