// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace remat::core {

/// Untrusted text made fit for a sentence: in single quotes, at most `limit` bytes (then "…"), control characters and
/// bytes that are no valid UTF-8 replaced by '?'. The result is always valid UTF-8, so it may go into JSON.
[[nodiscard]] std::string quoteText(std::string_view text, std::size_t limit = 60);

/// The same without the quotes and without a length limit.
[[nodiscard]] std::string cleanUtf8(std::string_view text);

/// "1,234,567": groups of three digits for people.
[[nodiscard]] std::string formatCount(long long value);

} // namespace remat::core
