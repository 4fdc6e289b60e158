// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "memory/memory_recorder.h"

namespace remat::gpu {

/// What a caching allocator of a device can be asked and told; implemented over CUDA's in the plug-in and by tests.
class DeviceAllocator
{
public:
    virtual ~DeviceAllocator() = default;
    struct Statistics
    {
        core::Bytes requested = 0, requestedPeak = 0, allocatedPeak = 0, reservedPeak = 0, reserved = 0;
    };
    [[nodiscard]] virtual Statistics statistics() const = 0;
    virtual void resetPeaks() = 0;
    virtual void emptyCache() = 0;
    /// Largest share of the device's memory that may be reserved, in (0, 1].
    virtual void setFraction(double fraction) = 0;
    [[nodiscard]] virtual core::Bytes totalBytes() const = 0;
};

/// The recorder for devices whose allocator reports every allocation to a tracker: requested bytes, addresses as block
/// ids. Driven by the executor's thread; onAllocation and onRelease may come from any thread, under the allocator's own
/// lock, and neither lock nor allocate.
class TraceRecorder final : public MemoryRecorder
{
public:
    explicit TraceRecorder(DeviceAllocator &allocator, std::size_t capacity = 4'000'000);

    void onAllocation(std::uint64_t address, core::Bytes bytes);
    void onRelease(std::uint64_t address, core::Bytes bytes);
    /// The allocator is about to refuse; may come from any thread, without the allocator's lock.
    void onFailure(const core::AllocatorState &state);

    void start() override;
    void stop() override;
    void setOp(std::uint32_t op, core::Phase phase) override;
    void setHint(core::Category hint) override { m_hint.store(hint); }
    void tag(const void *data, core::Category category) override;
    void declare(const void *data, core::Bytes bytes, core::Category category) override;
    [[nodiscard]] core::Bytes held() const override { return m_allocator.statistics().requested; }
    [[nodiscard]] std::array<core::Bytes, core::kCategoryCount> heldByCategory() const override;
    [[nodiscard]] core::Bytes peak() const override { return m_allocator.statistics().requestedPeak; }
    [[nodiscard]] AllocatorPeaks allocatorPeaks() const override;
    [[nodiscard]] core::AllocatorState takeFailure() override;
    [[nodiscard]] const MemoryEventLog &log() const override { return m_log; }
    [[nodiscard]] std::vector<std::string> names() const override;
    void setBudget(core::Bytes budget) override;
    [[nodiscard]] core::Bytes budget() const override { return m_budget; }
    [[nodiscard]] std::string budgetKind() const override { return "reserved bytes"; }

private:
    struct Declared
    {
        core::Bytes bytes = 0;
        core::Category category = core::Category::other;
    };
    void write(RawEvent::Kind kind, std::uint64_t address, core::Bytes bytes, core::Category category);

    DeviceAllocator &m_allocator;
    MemoryEventLog m_log;
    std::unordered_map<std::uint64_t, Declared> m_declared;
    std::atomic<bool> m_on{false};
    std::atomic<std::uint32_t> m_op{0};
    std::atomic<std::uint16_t> m_name{0};
    std::atomic<core::Phase> m_phase{core::Phase::other};
    std::atomic<core::Category> m_hint{core::Category::other};
    core::Bytes m_budget = 0;
    std::uint64_t m_callback = 0;
    std::mutex m_failureLock;
    core::AllocatorState m_failure;
};

} // namespace remat::gpu
