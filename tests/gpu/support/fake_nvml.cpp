// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A stand-in for libnvidia-ml.so.1: one device at 0000:65:00.0 with two processes, of which this one is the second. The
// old variant lacks a function, as old drivers do.

#include <cstdlib>
#include <cstring>

#include <unistd.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInvalidArgument = 2;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kUninitialised = 1;

struct Memory
{
    unsigned long long total, free, used;
};
struct Process
{
    unsigned int pid;
    unsigned long long used;
    unsigned int instance, compute;
};

int device = 0;
int users = 0;

} // namespace

EXPORTED int nvmlInit_v2()
{
    if (std::getenv("REMAT_FAKE_NVML_FAILS"))
        return kNotFound;
    ++users;
    return 0;
}

EXPORTED int nvmlShutdown()
{
    return users-- > 0 ? 0 : kUninitialised;
}

EXPORTED const char *nvmlErrorString(int code)
{
    return code == kNotFound ? "Not Found" : "Other";
}

EXPORTED int nvmlSystemGetDriverVersion(char *text, unsigned int size)
{
    if (users == 0 || size < 80)
        return kInvalidArgument;
    std::strcpy(text, "580.65.06");
    return 0;
}

EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle)
{
    if (std::strcmp(address, "0000:65:00.0") != 0)
        return kNotFound;
    *handle = &device;
    return 0;
}

EXPORTED int nvmlDeviceGetClockInfo(void *handle, int type, unsigned int *mhz)
{
    if (handle != &device || (type != 1 && type != 2))
        return kInvalidArgument;
    *mhz = type == 1 ? 1980 : 2619;
    return 0;
}

EXPORTED int nvmlDeviceGetMemoryInfo(void *, Memory *memory)
{
    *memory = {150'000'000'000, 50'000'000'000, 100'000'000'000};
    return 0;
}

#ifndef REMAT_FAKE_OLD_NVML
EXPORTED int nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned int *count, Process *list)
{
    const unsigned int room = *count;
    *count = 2;
    if (room < 2 || !list)
        return kInsufficientSize;
    list[0] = {1, 60'000'000'000, 0, 0};
    list[1] = {static_cast<unsigned int>(getpid()), 40'000'000'000, 0, 0};
    return 0;
}
#endif

EXPORTED int nvmlDeviceGetPowerManagementLimit(void *, unsigned int *milliwatts)
{
    *milliwatts = 700'000;
    return 0;
}

EXPORTED int nvmlDeviceGetTemperature(void *, int sensor, unsigned int *celsius)
{
    *celsius = 41;
    return sensor == 0 ? 0 : kInvalidArgument;
}
