// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "base/host_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace remat::core {

namespace {

constexpr double kShareOfMemory = 0.8;

Bytes systemMemory()
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

/// 0 where there is none; "max" is no number.
Bytes groupLimit()
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

Bytes availableHostMemory()
{
    const Bytes system = systemMemory();
    const Bytes group = groupLimit();
    if (group <= 0)
        return system;
    return system > 0 ? std::min(system, group) : group;
}

Bytes defaultCpuBudget()
{
    return static_cast<Bytes>(static_cast<double>(availableHostMemory()) * kShareOfMemory);
}

} // namespace remat::core
