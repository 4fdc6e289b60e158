// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/free_space.h"

#include <algorithm>
#include <cstdio>

namespace remat::gpu {

using core::AllocatorState;
using core::formatBytes;

AllocatorState stateOf(const std::vector<Segment> &segments)
{
    AllocatorState state{0, 0, 0};
    for (const Segment &segment : segments) {
        core::Bytes run = 0; // neighbours that are free join when one of them is asked for
        for (const SegmentBlock &block : segment) {
            state.reserved += block.bytes;
            state.free += block.free ? block.bytes : 0;
            run = block.free ? run + block.bytes : 0;
            state.largestFree = std::max(state.largestFree, run);
        }
    }
    return state;
}

std::string freeSpaceText(const AllocatorState &state)
{
    if (state.reserved < 0)
        return {};
    const std::string reserved = " The allocator had reserved " + formatBytes(state.reserved);
    if (state.free <= 0)
        return reserved + ", none of it free.";
    char ratio[16];
    std::snprintf(ratio, sizeof ratio, "%.2f", state.fragmentation());
    return reserved + ", " + formatBytes(state.free) + " of it free, the largest free block "
        + formatBytes(state.largestFree) + " (fragmentation " + ratio + ").";
}

} // namespace remat::gpu
