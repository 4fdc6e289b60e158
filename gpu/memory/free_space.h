// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "measure/point.h"

namespace remat::gpu {

/// One piece of a segment that a caching allocator has from the device, in the order of its addresses.
struct SegmentBlock
{
    core::Bytes bytes = 0;
    bool free = false; // may be handed out now: neither in use nor waiting for a stream
};
using Segment = std::vector<SegmentBlock>;

/// What a caching allocator holds and what of it is free. Blocks of different segments never join, so the largest free
/// one is the most that a new tensor can have without more from the device.
[[nodiscard]] core::AllocatorState stateOf(const std::vector<Segment> &segments);

/// " The allocator had … reserved, …": to be put behind the reason of a failed allocation; empty where nothing is known.
[[nodiscard]] std::string freeSpaceText(const core::AllocatorState &state);

} // namespace remat::gpu
