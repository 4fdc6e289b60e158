// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace remat::gpu {

/// How a piece of work with LibTorch ended. The one place where its exceptions are caught.
struct Guarded
{
    enum class End { done, outOfMemory, cancelled, failed };
    End end = End::done;
    std::string message; // LibTorch's own words, first line
};

/// Runs `work`; no exception leaves.
[[nodiscard]] Guarded guarded(const std::function<void()> &work);

/// The same where out of memory is an error like any other: ErrorCode::doesNotFit.
[[nodiscard]] core::Result<void> guardedResult(const std::string &what, const std::function<void()> &work);

/// The same for work that has a result of its own: no exception leaves, and none but the work's errors are lost.
template <typename T>
[[nodiscard]] core::Result<T> contained(const std::string &what, const std::function<core::Result<T>()> &work)
{
    std::optional<core::Result<T>> result;
    const auto ended = guardedResult(what, [&] { result.emplace(work()); });
    if (!ended)
        return ended.error();
    return std::move(*result);
}

} // namespace remat::gpu
