// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace remat::core {

/// The exception that is being handled as one sentence about the session at `path`.
[[nodiscard]] Error storeError(const std::string &path);

/// The one place that catches what SQLiteCpp throws: runs `work`, which returns a Result. Any thread.
template <typename Work>
[[nodiscard]] auto guarded(const std::string &path, Work &&work) -> decltype(work())
{
    try {
        return std::forward<Work>(work)();
    } catch (...) {
        return storeError(path);
    }
}

} // namespace remat::core
