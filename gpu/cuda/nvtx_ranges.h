// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "timing/step_ranges.h"

namespace remat::gpu {

/// Ranges of NVIDIA's tools extension, through LibTorch's own binding: without an attached tool they cost a call and do
/// nothing.
class NvtxRanges final : public RangeMarker
{
public:
    /// False where this LibTorch has no such binding.
    [[nodiscard]] static bool available();
    void push(const std::string &name) override;
    void pop() override;
};

} // namespace remat::gpu
