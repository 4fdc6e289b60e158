// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "measure/point.h"
#include "memory/memory_event_log.h"

namespace remat::gpu {

/// Bytes that a device allocator reports of itself; -1 where it has no such number.
struct AllocatorPeaks
{
    core::Bytes allocated = -1;
    core::Bytes reserved = -1;
};

/// Watches every allocation of one device: one implementation a kind of device. The executor's thread drives it; its
/// events may come from any thread.
class MemoryRecorder
{
public:
    virtual ~MemoryRecorder() = default;

    /// Starts to write events down; the log is emptied and the peaks are reset.
    virtual void start() = 0;
    virtual void stop() = 0;

    /// Allocations from now on belong to this op.
    virtual void setOp(std::uint32_t op, core::Phase phase) = 0;
    /// Allocations from now on are for this; other: decided later. Also while nothing is recorded.
    virtual void setHint(core::Category hint) = 0;

    /// Says what the live block that starts at `data` is for, now and in later steps. Unknown addresses are ignored.
    virtual void tag(const void *data, core::Category category) = 0;

    /// The same at the start of a recorded step, for what the step finds: recorders that watch nothing between steps
    /// learn of these blocks only here.
    virtual void declare(const void *data, core::Bytes bytes, core::Category category) = 0;

    /// Requested bytes that are held now on the executor's account.
    [[nodiscard]] virtual core::Bytes held() const = 0;

    /// Held bytes by category; blocks that were never tagged count as `other`.
    [[nodiscard]] virtual std::array<core::Bytes, core::kCategoryCount> heldByCategory() const = 0;

    /// The most held since start().
    [[nodiscard]] virtual core::Bytes peak() const = 0;
    [[nodiscard]] virtual AllocatorPeaks allocatorPeaks() const { return {}; }

    /// What a caching allocator held when it last had to refuse; asked once, then it is forgotten.
    [[nodiscard]] virtual core::AllocatorState takeFailure() { return {}; }

    [[nodiscard]] virtual const MemoryEventLog &log() const = 0;
    [[nodiscard]] virtual std::vector<std::string> names() const = 0;

    /// Bytes that may be held at most; 0: the device's default. Says what kind of bytes the limit counts.
    virtual void setBudget(core::Bytes budget) = 0;
    [[nodiscard]] virtual core::Bytes budget() const = 0;
    [[nodiscard]] virtual std::string budgetKind() const = 0;
};

} // namespace remat::gpu
