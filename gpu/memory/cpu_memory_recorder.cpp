// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/cpu_memory_recorder.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "memory/cpu_allocator.h"
#include "memory/operator_names.h"

namespace remat::gpu {

using core::Bytes;

namespace {

constexpr std::size_t kMostEvents = 4'000'000;
constexpr double kShareOfMemory = 0.8;

Bytes availableMemory()
{
    std::ifstream file("/proc/meminfo");
    std::string key;
    Bytes kib = 0;
    std::string unit;
    while (file >> key >> kib) {
        std::getline(file, unit);
        if (key == "MemAvailable:")
            return kib * 1024;
    }
    return 0;
}

/// The memory limit of this process's cgroup (version 2, then 1); 0 where there is none.
Bytes cgroupLimit()
{
    for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        Bytes limit = 0;
        if (file >> limit)
            return limit;
    }
    return 0;
}

} // namespace

Bytes defaultCpuBudget()
{
    Bytes limit = availableMemory();
    if (const Bytes group = cgroupLimit(); group > 0)
        limit = limit > 0 ? std::min(limit, group) : group;
    return static_cast<Bytes>(static_cast<double>(limit) * kShareOfMemory);
}

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
    CpuAccount::instance().setBudget(budget > 0 ? budget : CpuAccount::instance().held() + defaultCpuBudget());
}

Bytes CpuMemoryRecorder::budget() const
{
    return CpuAccount::instance().budget();
}

} // namespace remat::gpu
