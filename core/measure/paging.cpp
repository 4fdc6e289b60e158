// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/paging.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <sys/resource.h>

namespace remat::core {

namespace {

// A step touches its code and data again and again, so after the warm-up it reads nothing from a disk: 1 MiB of pages a
// step is far from chance, and so is swap that grows by 16 MiB in a run.
constexpr std::int64_t kFaultsOfAStep = 256;
constexpr Bytes kSwapOfARun = 16 * 1024 * 1024;

// A driver that moves memory to the host does so when the device is full; the step then takes several times as long. Other
// reasons for slow steps (clocks, neighbours) rarely make a factor of three.
constexpr double kFull = 0.95;
constexpr double kJump = 3.0;

std::string ratioText(Nanoseconds part, Nanoseconds whole)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

bool jumps(Nanoseconds slow, Nanoseconds fast)
{
    return fast > 0 && static_cast<double>(slow) > kJump * static_cast<double>(fast);
}

std::string onHost(const PagingSigns &signs)
{
    const bool faults = signs.majorFaults >= kFaultsOfAStep * signs.steps;
    const bool swaps = signs.swapped >= kSwapOfARun;
    if (!faults && !swaps)
        return {};
    return "Memory was probably paged: " + std::to_string(signs.majorFaults) + " pages were read from a disk and "
        + formatBytes(signs.swapped) + " were swapped out during " + std::to_string(signs.steps)
        + " timed steps, so the time is not the schedule's; use a smaller batch or end other programs.";
}

std::string onDevice(const PagingSigns &signs, const PagingTimes &times)
{
    if (signs.deviceTotal <= 0)
        return {};
    const std::string advice
        = ", so the time is not the schedule's; use a smaller batch, a budget, or end other programs on the device.";
    if (signs.reserved > signs.deviceTotal)
        return "Memory was paged: " + formatBytes(signs.reserved) + " are reserved on a device of "
            + formatBytes(signs.deviceTotal) + ", and the driver keeps the rest on the host" + advice;
    if (static_cast<double>(signs.deviceUsed) < kFull * static_cast<double>(signs.deviceTotal))
        return {};
    std::string slow;
    if (jumps(times.median, times.predicted))
        slow = "a step took " + ratioText(times.median, times.predicted) + " times as long as predicted";
    else if (jumps(times.slowest, times.fastest))
        slow = "the slowest step took " + ratioText(times.slowest, times.fastest) + " times as long as the fastest";
    else
        return {};
    return "Memory was probably paged: " + formatBytes(signs.deviceUsed) + " of the device's "
        + formatBytes(signs.deviceTotal) + " were used and " + slow + advice;
}

} // namespace

void addStep(PagingSigns &signs, const MemoryPressure &before, const MemoryPressure &after)
{
    ++signs.steps;
    if (before.majorFaults >= 0 && after.majorFaults >= 0)
        signs.majorFaults += std::max<std::int64_t>(0, after.majorFaults - before.majorFaults);
    if (before.swapped >= 0 && after.swapped >= 0)
        signs.swapped += std::max<Bytes>(0, after.swapped - before.swapped);
    signs.deviceUsed = std::max(signs.deviceUsed, after.deviceUsed);
    signs.deviceTotal = std::max(signs.deviceTotal, after.deviceTotal);
    signs.reserved = std::max(signs.reserved, after.reserved);
}

std::string pagingSuspicion(const PagingSigns &signs, const PagingTimes &times)
{
    if (signs.steps == 0)
        return {};
    const std::string device = onDevice(signs, times);
    return device.empty() ? onHost(signs) : device;
}

MemoryPressure hostPressure()
{
    MemoryPressure pressure;
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        pressure.majorFaults = usage.ru_majflt;
    std::ifstream status("/proc/self/status");
    pressure.swapped = swappedFrom(status);
    return pressure;
}

Bytes swappedFrom(std::istream &status)
{
    std::string line;
    while (std::getline(status, line)) {
        long long kib = 0;
        if (std::sscanf(line.c_str(), "VmSwap: %lld kB", &kib) == 1 && kib >= 0)
            return Bytes{kib} * 1024;
    }
    return -1;
}

} // namespace remat::core
