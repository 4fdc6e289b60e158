// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
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

} // namespace remat::gpu
