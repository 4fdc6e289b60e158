// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/cpu_account.h"

#include <chrono>

namespace remat::gpu {

using core::Bytes;
using core::Category;

namespace {

thread_local bool g_onExecutorThread = false;

std::size_t index(Category category)
{
    return static_cast<std::size_t>(category);
}

core::Nanoseconds now()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

} // namespace

CpuAccount &CpuAccount::instance()
{
    static auto *account = new CpuAccount; // never destroyed: see the class comment
    return *account;
}

CpuAccount::ScratchScope::ScratchScope() : m_outer(g_onExecutorThread)
{
    g_onExecutorThread = false;
}

CpuAccount::ScratchScope::~ScratchScope()
{
    g_onExecutorThread = m_outer;
}

void CpuAccount::enterExecutorThread()
{
    g_onExecutorThread = true;
}

bool CpuAccount::add(Bytes bytes, BlockHeader &header)
{
    header.bytes = bytes;
    header.worker = !g_onExecutorThread;
    header.id = m_nextId.fetch_add(1, std::memory_order_relaxed);
    header.category = header.worker ? Category::workerScratch : m_hint.load(std::memory_order_relaxed);
    if (!header.worker) {
        m_allocations.fetch_add(1, std::memory_order_relaxed);
        const Bytes before = m_held.fetch_add(bytes);
        const Bytes budget = m_budget.load(std::memory_order_relaxed);
        const bool fail = m_failAt.load(std::memory_order_relaxed) > 0 && m_failAt.fetch_sub(1) == 1;
        if (fail || (budget > 0 && before + bytes > budget)) {
            m_held.fetch_sub(bytes);
            m_refused = {bytes, before, budget};
            return false;
        }
        if (before + bytes > m_peak.load(std::memory_order_relaxed))
            m_peak.store(before + bytes, std::memory_order_relaxed);
    }
    m_byCategory[index(header.category)].fetch_add(bytes, std::memory_order_relaxed);
    write(RawEvent::Kind::allocation, header, bytes);
    return true;
}

void CpuAccount::remove(const BlockHeader &header)
{
    if (!header.worker)
        m_held.fetch_sub(header.bytes);
    m_byCategory[index(header.category)].fetch_sub(header.bytes, std::memory_order_relaxed);
    write(RawEvent::Kind::release, header, -header.bytes);
}

void CpuAccount::retag(BlockHeader &header, Category category)
{
    m_byCategory[index(header.category)].fetch_sub(header.bytes, std::memory_order_relaxed);
    header.category = category;
    m_byCategory[index(category)].fetch_add(header.bytes, std::memory_order_relaxed);
    write(RawEvent::Kind::tag, header, 0);
}

void CpuAccount::startRecording(MemoryEventLog *log)
{
    m_peak.store(m_held.load());
    if (log)
        log->clear();
    m_log.store(log);
}

void CpuAccount::setOp(std::uint32_t op, core::Phase phase)
{
    m_op.store(op, std::memory_order_relaxed);
    m_phase.store(phase, std::memory_order_relaxed);
}

std::array<Bytes, core::kCategoryCount> CpuAccount::heldByCategory() const
{
    std::array<Bytes, core::kCategoryCount> held{};
    for (std::size_t i = 0; i < held.size(); ++i)
        held[i] = m_byCategory[i].load();
    return held;
}

void CpuAccount::write(RawEvent::Kind kind, const BlockHeader &header, Bytes bytes)
{
    MemoryEventLog *log = m_log.load(std::memory_order_acquire);
    if (!log)
        return;
    log->append({now(), header.id, bytes, m_op.load(std::memory_order_relaxed), m_name.load(std::memory_order_relaxed),
                 kind, header.category, m_phase.load(std::memory_order_relaxed), header.worker});
}

} // namespace remat::gpu
