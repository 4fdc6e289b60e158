// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>

#include "memory/memory_event_log.h"

namespace remat::gpu {

/// Lies in the 64 bytes before a block's data.
struct BlockHeader
{
    core::Bytes bytes = 0;
    std::uint64_t id = 0;
    core::Category category = core::Category::other;
    bool worker = false;
};
static_assert(sizeof(BlockHeader) <= 64);

/// Why an allocation was refused.
struct RefusedAllocation
{
    core::Bytes asked = 0;
    core::Bytes held = 0;
    core::Bytes budget = 0;
};

/// The account of all CPU tensors of the process: requested bytes, split into those of the executor's thread, which are
/// exact, and scratch of the library's worker threads, which is a matter of chance. Atomics only. Lives for ever, for
/// blocks may be released during exit.
class CpuAccount
{
public:
    [[nodiscard]] static CpuAccount &instance();

    /// The calling thread becomes the executor's thread: what it allocates counts.
    static void enterExecutorThread();

    /// While it lives, what the calling thread allocates counts as scratch: for products whose scratch depends on the data
    /// (rows per expert), which no prediction can know. Does nothing on other threads.
    class ScratchScope
    {
    public:
        ScratchScope();
        ~ScratchScope();
        ScratchScope(const ScratchScope &) = delete;
        ScratchScope &operator=(const ScratchScope &) = delete;

    private:
        bool m_outer;
    };

    /// Books `bytes`; false where the budget does not allow it, then nothing is booked and refused() tells why.
    [[nodiscard]] bool add(core::Bytes bytes, BlockHeader &header);
    void remove(const BlockHeader &header);
    void retag(BlockHeader &header, core::Category category);

    void startRecording(MemoryEventLog *log);
    void stopRecording() { m_log.store(nullptr); }
    void setOp(std::uint32_t op, core::Phase phase);
    void setHint(core::Category hint) { m_hint.store(hint, std::memory_order_relaxed); }
    void setName(std::uint16_t name) { m_name.store(name, std::memory_order_relaxed); }

    void setBudget(core::Bytes budget) { m_budget.store(budget); }
    [[nodiscard]] core::Bytes budget() const { return m_budget.load(); }
    [[nodiscard]] core::Bytes held() const { return m_held.load(); }
    [[nodiscard]] core::Bytes peak() const { return m_peak.load(); }
    [[nodiscard]] std::array<core::Bytes, core::kCategoryCount> heldByCategory() const;
    [[nodiscard]] RefusedAllocation refused() const { return m_refused; }

    /// For tests: the n-th allocation from now on the executor's thread is refused (1: the next). 0 switches it off.
    void failAllocation(std::int64_t n) { m_failAt.store(n); }
    /// Allocations on the executor's thread so far.
    [[nodiscard]] std::int64_t allocations() const { return m_allocations.load(); }

private:
    CpuAccount() = default;
    void write(RawEvent::Kind kind, const BlockHeader &header, core::Bytes bytes);

    std::atomic<core::Bytes> m_held{0};
    std::atomic<core::Bytes> m_peak{0};
    std::atomic<core::Bytes> m_budget{0};
    std::array<std::atomic<core::Bytes>, core::kCategoryCount> m_byCategory{};
    std::atomic<std::uint64_t> m_nextId{1};
    std::atomic<MemoryEventLog *> m_log{nullptr};
    std::atomic<std::uint32_t> m_op{0};
    std::atomic<std::uint16_t> m_name{0};
    std::atomic<core::Phase> m_phase{core::Phase::other};
    std::atomic<core::Category> m_hint{core::Category::other};
    std::atomic<std::int64_t> m_failAt{0};
    std::atomic<std::int64_t> m_allocations{0};
    RefusedAllocation m_refused; // written and read on the executor's thread
};

} // namespace remat::gpu
