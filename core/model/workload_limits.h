// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace remat::core {

/// What resolveWorkload() accepts at most of a micro-batch, and how far searches for the largest one go.
inline constexpr std::int64_t kMostSequences = 65'536;
inline constexpr std::int64_t kMostTokens = std::int64_t(1) << 30;

/// The most sequences of so many tokens, at least one each.
[[nodiscard]] inline std::int64_t mostSequences(std::int64_t seq)
{
    return std::min(kMostSequences, kMostTokens / seq);
}

} // namespace remat::core
