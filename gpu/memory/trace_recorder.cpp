// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/trace_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "memory/operator_names.h"

namespace remat::gpu {

using core::Bytes;
using core::Category;

namespace {

std::uint64_t addressOf(const void *data)
{
    return reinterpret_cast<std::uint64_t>(data);
}

} // namespace

TraceRecorder::TraceRecorder(DeviceAllocator &allocator, std::size_t capacity) : m_allocator(allocator), m_log(capacity)
{
}

void TraceRecorder::write(RawEvent::Kind kind, std::uint64_t address, Bytes bytes, Category category)
{
    if (!m_on.load(std::memory_order_relaxed))
        return;
    m_log.append({std::chrono::steady_clock::now().time_since_epoch().count(), address, bytes,
                  m_op.load(std::memory_order_relaxed), m_name.load(std::memory_order_relaxed), kind, category,
                  m_phase.load(std::memory_order_relaxed), false});
}

void TraceRecorder::onAllocation(std::uint64_t address, Bytes bytes)
{
    write(RawEvent::Kind::allocation, address, bytes, m_hint.load(std::memory_order_relaxed));
}

void TraceRecorder::onRelease(std::uint64_t address, Bytes bytes)
{
    write(RawEvent::Kind::release, address, -bytes, Category::other);
}

void TraceRecorder::onFailure(const core::AllocatorState &state)
{
    const std::scoped_lock lock(m_failureLock);
    m_failure = state;
}

core::AllocatorState TraceRecorder::takeFailure()
{
    const std::scoped_lock lock(m_failureLock);
    return std::exchange(m_failure, {});
}

void TraceRecorder::start()
{
    m_allocator.resetPeaks();
    m_log.clear();
    m_on.store(true);
    // A block that was there before is known to the builder by its first event.
    for (const auto &[address, declared] : m_declared)
        write(RawEvent::Kind::tag, address, 0, declared.category);
    m_callback = startNaming([this](std::uint16_t name) { m_name.store(name); });
}

void TraceRecorder::stop()
{
    m_on.store(false);
    m_declared.clear();
    m_hint.store(Category::other);
    if (m_callback != 0)
        stopNaming(m_callback);
    m_callback = 0;
}

void TraceRecorder::setOp(std::uint32_t op, core::Phase phase)
{
    m_op.store(op);
    m_phase.store(phase);
}

void TraceRecorder::tag(const void *data, Category category)
{
    write(RawEvent::Kind::tag, addressOf(data), 0, category);
}

void TraceRecorder::declare(const void *data, Bytes bytes, Category category)
{
    m_declared[addressOf(data)] = {bytes, category};
}

std::array<Bytes, core::kCategoryCount> TraceRecorder::heldByCategory() const
{
    std::array<Bytes, core::kCategoryCount> held{};
    Bytes rest = this->held();
    for (const auto &[address, declared] : m_declared) {
        held[static_cast<std::size_t>(declared.category)] += declared.bytes;
        rest -= declared.bytes;
    }
    // What no tensor of the step accounts for are the libraries' workspaces: blocks that never go away.
    held[static_cast<std::size_t>(Category::workspace)] += rest;
    return held;
}

AllocatorPeaks TraceRecorder::allocatorPeaks() const
{
    const auto statistics = m_allocator.statistics();
    return {statistics.allocatedPeak, statistics.reservedPeak};
}

std::vector<std::string> TraceRecorder::names() const
{
    return operatorNames();
}

void TraceRecorder::setBudget(Bytes budget)
{
    const Bytes total = m_allocator.totalBytes();
    m_budget = budget > 0 ? std::min(budget, total) : total;
    m_allocator.emptyCache();
    m_allocator.setFraction(static_cast<double>(m_budget) / static_cast<double>(std::max<Bytes>(total, 1)));
}

} // namespace remat::gpu
