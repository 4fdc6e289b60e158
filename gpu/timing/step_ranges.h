// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/recording.h"
#include "model/stage.h"

namespace remat::gpu {

/// Names what runs for a profiler that watches from outside. Ranges nest and belong to the thread that opens them.
class RangeMarker
{
public:
    virtual ~RangeMarker() = default;
    virtual void push(const std::string &name) = 0;
    virtual void pop() = 0;
};

/// "layer 3 · feed-forward · recompute", "head and loss", "optimizer": what an op is called in a profiler.
[[nodiscard]] std::string rangeName(const std::vector<core::Stage> &stages, const core::OpRecord &op);

/// Whether ranges are to be made: REMAT_NVTX=1 asks for them, REMAT_NVTX=0 forbids them, and else they are made where a
/// tool is attached, which NVTX learns from NVTX_INJECTION64_PATH. `variable` is std::getenv but for tests.
[[nodiscard]] bool rangesWanted(const std::function<const char *(const char *)> &variable);

} // namespace remat::gpu
