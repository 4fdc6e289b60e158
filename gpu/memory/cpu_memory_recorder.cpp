// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/cpu_memory_recorder.h"

#include <string>

#include "base/host_memory.h"
#include "memory/cpu_allocator.h"
#include "memory/operator_names.h"

namespace remat::gpu {

using core::Bytes;

namespace {

constexpr std::size_t kMostEvents = 4'000'000;

} // namespace

CpuMemoryRecorder::CpuMemoryRecorder() : m_log(kMostEvents) { }

CpuMemoryRecorder::~CpuMemoryRecorder()
{
    CpuMemoryRecorder::stop();
}

void CpuMemoryRecorder::start()
{
    CpuAccount::instance().startRecording(&m_log);
    m_callback = startNaming([](std::uint16_t name) { CpuAccount::instance().setName(name); });
}

void CpuMemoryRecorder::stop()
{
    CpuAccount &account = CpuAccount::instance();
    account.stopRecording();
    account.setOp(0, core::Phase::other);
    account.setName(0);
    if (m_callback != 0)
        stopNaming(m_callback);
    m_callback = 0;
}

void CpuMemoryRecorder::setOp(std::uint32_t op, core::Phase phase)
{
    CpuAccount::instance().setOp(op, phase);
}

void CpuMemoryRecorder::setHint(core::Category hint)
{
    CpuAccount::instance().setHint(hint);
}

void CpuMemoryRecorder::tag(const void *data, core::Category category)
{
    if (BlockHeader *header = headerOf(data))
        CpuAccount::instance().retag(*header, category);
}

Bytes CpuMemoryRecorder::held() const
{
    return CpuAccount::instance().held();
}

std::array<Bytes, core::kCategoryCount> CpuMemoryRecorder::heldByCategory() const
{
    return CpuAccount::instance().heldByCategory();
}

Bytes CpuMemoryRecorder::peak() const
{
    return CpuAccount::instance().peak();
}

std::vector<std::string> CpuMemoryRecorder::names() const
{
    return operatorNames();
}

void CpuMemoryRecorder::setBudget(Bytes budget)
{
    CpuAccount::instance().setBudget(budget > 0 ? budget : CpuAccount::instance().held() + core::defaultCpuBudget());
}

Bytes CpuMemoryRecorder::budget() const
{
    return CpuAccount::instance().budget();
}

} // namespace remat::gpu
