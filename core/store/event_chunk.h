// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "measure/recording.h"

namespace remat::core {

inline constexpr int kEventsPerChunk = 8192;
inline constexpr int kEventCodec = 1;

/// Up to 8,192 events as one row: columns, each delta-coded into variable-length integers, all compressed together, and
/// what a zoomed-out plot needs without decoding. `held` and `activation` are totals after each event.
struct EventChunk
{
    int count = 0;
    Nanoseconds firstNs = 0;
    Nanoseconds lastNs = 0;
    Bytes heldMin = 0;
    Bytes heldMax = 0;
    Bytes activationMin = 0;
    Bytes activationMax = 0;
    std::string data;
};

/// Running totals across the chunks of a recording.
struct HeldTotals
{
    Bytes held = 0;
    Bytes activation = 0;
};
[[nodiscard]] HeldTotals baselineTotals(const Recording &recording);

/// Encodes `events` (1 … 8,192) and moves `totals` to their end.
[[nodiscard]] EventChunk encodeChunk(std::span<const MemoryEvent> events, HeldTotals &totals);

/// What a chunk may refer to; everything beyond is damage.
struct ChunkLimits
{
    std::size_t ops = 0;
    std::size_t names = 0;
};

/// Appends the events of untrusted bytes. The error says what is wrong with them; nothing larger than a full chunk is
/// allocated, whatever the bytes claim.
[[nodiscard]] Result<void> decodeChunk(std::string_view data, int count, const ChunkLimits &limits,
                                       std::vector<MemoryEvent> &events);

} // namespace remat::core
