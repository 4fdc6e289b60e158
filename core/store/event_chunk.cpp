// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/event_chunk.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>
#include <optional>

#include <zstd.h>

namespace remat::core {

namespace {

constexpr int kColumns = 7;
constexpr std::size_t kLongestNumber = 10;
constexpr std::size_t kLongestPlain = kEventsPerChunk * kColumns * kLongestNumber;
constexpr int kCompression = 3;

/// Small magnitudes of either sign become small unsigned numbers. Arithmetic is modulo 2^64, so every value survives.
std::uint64_t zigzag(std::uint64_t value)
{
    return (value << 1U) ^ (std::uint64_t{0} - (value >> 63U));
}

std::uint64_t unzigzag(std::uint64_t value)
{
    return (value >> 1U) ^ (std::uint64_t{0} - (value & 1U));
}

std::uint64_t columnOf(const MemoryEvent &event, int column)
{
    switch (column) {
    case 0:
        return static_cast<std::uint64_t>(event.ns);
    case 1:
        return static_cast<std::uint64_t>(event.bytes);
    case 2:
        return event.block;
    case 3:
        return event.op;
    case 4:
        return event.name;
    case 5:
        return static_cast<std::uint64_t>(event.category);
    default:
        return static_cast<std::uint64_t>(event.phase);
    }
}

bool setColumn(MemoryEvent &event, int column, std::uint64_t value, const ChunkLimits &limits)
{
    switch (column) {
    case 0:
        event.ns = static_cast<Nanoseconds>(value);
        return true;
    case 1:
        event.bytes = static_cast<Bytes>(value);
        return true;
    case 2:
        event.block = static_cast<std::uint32_t>(value);
        return value <= std::numeric_limits<std::uint32_t>::max();
    case 3:
        event.op = static_cast<std::uint32_t>(value);
        return value < limits.ops;
    case 4:
        event.name = static_cast<std::uint16_t>(value);
        return value < limits.names;
    case 5:
        event.category = static_cast<Category>(value);
        return value < kCategoryCount;
    default:
        event.phase = static_cast<Phase>(value);
        return value <= static_cast<std::uint64_t>(Phase::other);
    }
}

/// Sizes are no series: differences between them would be larger than they are.
bool isSeries(int column)
{
    return column != 1;
}

void putNumber(std::string &out, std::uint64_t value)
{
    while (value >= 0x80U) {
        out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
        value >>= 7U;
    }
    out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> takeNumber(std::string_view &in)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(in.front());
        in.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if (byte < 0x80U)
            return value;
    }
    return std::nullopt;
}

/// With a checksum, so that damage inside a chunk is found and not read as other numbers.
std::string compress(const std::string &plain)
{
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCompression);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    std::string data(ZSTD_compressBound(plain.size()), '\0');
    const std::size_t size = ZSTD_compress2(context.get(), data.data(), data.size(), plain.data(), plain.size());
    assert(ZSTD_isError(size) == 0U);
    data.resize(size);
    return data;
}

Error damaged(const std::string &how)
{
    return {ErrorCode::failed, "An event chunk is damaged: " + how + "."};
}

Result<std::string> decompress(std::string_view data)
{
    const unsigned long long claimed = ZSTD_getFrameContentSize(data.data(), data.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR || claimed == ZSTD_CONTENTSIZE_UNKNOWN)
        return damaged("it is not compressed as it should be");
    if (claimed > kLongestPlain)
        return damaged("it claims more bytes than a chunk can have");
    std::string plain(claimed, '\0');
    const std::size_t size = ZSTD_decompress(plain.data(), plain.size(), data.data(), data.size());
    if (ZSTD_isError(size) != 0U || size != claimed)
        return damaged("it cannot be decompressed");
    return plain;
}

void addSummary(EventChunk &chunk, const MemoryEvent &event, HeldTotals &totals)
{
    if (event.category != Category::workerScratch)
        totals.held += event.bytes;
    if (isActivation(event.category))
        totals.activation += event.bytes;
    chunk.heldMin = std::min(chunk.heldMin, totals.held);
    chunk.heldMax = std::max(chunk.heldMax, totals.held);
    chunk.activationMin = std::min(chunk.activationMin, totals.activation);
    chunk.activationMax = std::max(chunk.activationMax, totals.activation);
}

} // namespace

HeldTotals baselineTotals(const Recording &recording)
{
    HeldTotals totals;
    for (int i = 0; i < kCategoryCount; ++i) {
        const auto category = static_cast<Category>(i);
        const Bytes bytes = recording.baseline[static_cast<std::size_t>(i)];
        totals.held += category == Category::workerScratch ? 0 : bytes;
        totals.activation += isActivation(category) ? bytes : 0;
    }
    return totals;
}

EventChunk encodeChunk(std::span<const MemoryEvent> events, HeldTotals &totals)
{
    assert(!events.empty() && events.size() <= static_cast<std::size_t>(kEventsPerChunk));
    EventChunk chunk;
    chunk.count = static_cast<int>(events.size());
    chunk.firstNs = events.front().ns;
    chunk.lastNs = events.back().ns;
    chunk.heldMin = chunk.activationMin = std::numeric_limits<Bytes>::max();
    chunk.heldMax = chunk.activationMax = std::numeric_limits<Bytes>::min();
    for (const MemoryEvent &event : events)
        addSummary(chunk, event, totals);
    std::string plain;
    plain.reserve(events.size() * kColumns * 2);
    for (int column = 0; column < kColumns; ++column) {
        std::uint64_t previous = 0;
        for (const MemoryEvent &event : events) {
            const std::uint64_t value = columnOf(event, column);
            putNumber(plain, zigzag(value - previous));
            if (isSeries(column))
                previous = value;
        }
    }
    chunk.data = compress(plain);
    return chunk;
}

Result<void> decodeChunk(std::string_view data, int count, const ChunkLimits &limits, std::vector<MemoryEvent> &events)
{
    if (count < 1 || count > kEventsPerChunk)
        return damaged("it claims " + std::to_string(count) + " events");
    const auto plain = decompress(data);
    if (!plain)
        return plain.error();
    const std::size_t start = events.size();
    events.resize(start + static_cast<std::size_t>(count));
    std::string_view rest = *plain;
    for (int column = 0; column < kColumns; ++column) {
        std::uint64_t previous = 0;
        for (std::size_t i = start; i < events.size(); ++i) {
            const auto number = takeNumber(rest);
            if (!number)
                return damaged("it ends too early");
            const std::uint64_t value = previous + unzigzag(*number);
            if (!setColumn(events[i], column, value, limits))
                return damaged("an event refers to something that does not exist");
            if (isSeries(column))
                previous = value;
        }
    }
    if (!rest.empty())
        return damaged("it has bytes left over");
    return {};
}

} // namespace remat::core
