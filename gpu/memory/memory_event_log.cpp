// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/memory_event_log.h"

#include <algorithm>

namespace remat::gpu {

MemoryEventLog::MemoryEventLog(std::size_t capacity)
    : m_capacity(capacity), m_events(std::make_unique_for_overwrite<RawEvent[]>(capacity))
{
}

std::size_t MemoryEventLog::size() const
{
    return std::min(m_next.load(), m_capacity);
}

} // namespace remat::gpu
