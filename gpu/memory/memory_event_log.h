// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/units.h"
#include "measure/recording.h"

namespace remat::gpu {

/// What a recorder writes down at the moment it happens; sorted out after the step (recording_builder.h).
struct RawEvent
{
    enum class Kind : std::uint8_t { allocation, release, tag };

    core::Nanoseconds ns = 0;
    std::uint64_t block = 0; // id of the block (CPU) or its address (CUDA)
    core::Bytes bytes = 0;
    std::uint32_t op = 0;
    std::uint16_t name = 0;
    Kind kind = Kind::allocation;
    core::Category category = core::Category::other; // other: not known (yet)
    core::Phase phase = core::Phase::other;
    bool worker = false; // made by a worker thread of the library, not by the executor's thread
};

/// A fixed array of events that any thread may append to without a lock. Sized once; an overflow is noticed, never
/// silent. The memory is only touched where it is used.
class MemoryEventLog
{
public:
    explicit MemoryEventLog(std::size_t capacity);

    void clear() { m_next.store(0, std::memory_order_relaxed); }
    void append(const RawEvent &event)
    {
        const std::size_t at = m_next.fetch_add(1, std::memory_order_relaxed);
        if (at < m_capacity)
            m_events[at] = event;
    }
    [[nodiscard]] bool overflowed() const { return m_next.load() > m_capacity; }
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] const RawEvent *begin() const { return m_events.get(); }
    [[nodiscard]] const RawEvent *end() const { return m_events.get() + size(); }

private:
    std::size_t m_capacity;
    std::unique_ptr<RawEvent[]> m_events;
    std::atomic<std::size_t> m_next{0};
};

} // namespace remat::gpu
