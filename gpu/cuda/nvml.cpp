// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/nvml.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace remat::gpu {

using core::Bytes;

namespace {

// The few types of nvml.h that are needed here; its C interface is stable by NVIDIA's promise (functions get suffixes).
using Device = void *;
using Code = int;
constexpr Code kSuccess = 0;
constexpr Code kInsufficientSize = 7;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kSensorGpu = 0;
constexpr unsigned long long kNotAvailable = ~0ULL;

struct MemoryInfo
{
    unsigned long long total = 0, free = 0, used = 0;
};

struct ProcessInfo
{
    unsigned int pid = 0;
    unsigned long long usedGpuMemory = 0;
    unsigned int gpuInstanceId = 0;
    unsigned int computeInstanceId = 0;
};

} // namespace

struct Nvml::Functions
{
    Code (*init)() = nullptr;
    Code (*shutdown)() = nullptr;
    const char *(*errorString)(Code) = nullptr;
    Code (*driverVersion)(char *, unsigned int) = nullptr;
    Code (*handleByPciBusId)(const char *, Device *) = nullptr;
    Code (*clockInfo)(Device, int, unsigned int *) = nullptr;
    Code (*memoryInfo)(Device, MemoryInfo *) = nullptr;
    Code (*processes)(Device, unsigned int *, ProcessInfo *) = nullptr;
    Code (*powerLimit)(Device, unsigned int *) = nullptr;
    Code (*temperature)(Device, int, unsigned int *) = nullptr;

    /// Bytes of this process; processes come and go between the two questions.
    [[nodiscard]] Bytes processUsed(Device device) const
    {
        unsigned int count = 0;
        Code code = processes(device, &count, nullptr);
        std::vector<ProcessInfo> list;
        for (int tries = 0; code == kInsufficientSize && tries < 3; ++tries) {
            list.resize(count + 8);
            count = static_cast<unsigned int>(list.size());
            code = processes(device, &count, list.data());
        }
        if (code != kSuccess)
            return -1;
        list.resize(std::min<std::size_t>(count, list.size()));
        for (const ProcessInfo &process : list)
            if (process.pid == static_cast<unsigned int>(getpid()) && process.usedGpuMemory != kNotAvailable)
                return static_cast<Bytes>(process.usedGpuMemory);
        return -1;
    }

    template <typename Ask>
    static int number(const Ask &ask, int divisor = 1)
    {
        unsigned int value = 0;
        return ask(&value) == kSuccess ? static_cast<int>(value) / divisor : 0;
    }
};

Nvml::Nvml(const char *library)
{
    m_library = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!m_library) {
        m_why = "NVIDIA's management library (" + std::string(library)
            + ") is not here, so driver, clocks and the bytes of other programs are not known.";
        return;
    }
    auto functions = std::make_unique<Functions>();
    std::string missing;
    const auto find = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(m_library, name));
        if (!function)
            missing = name;
    };
    find(functions->init, "nvmlInit_v2");
    find(functions->shutdown, "nvmlShutdown");
    find(functions->errorString, "nvmlErrorString");
    find(functions->driverVersion, "nvmlSystemGetDriverVersion");
    find(functions->handleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
    find(functions->clockInfo, "nvmlDeviceGetClockInfo");
    find(functions->memoryInfo, "nvmlDeviceGetMemoryInfo");
    find(functions->processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    find(functions->powerLimit, "nvmlDeviceGetPowerManagementLimit");
    find(functions->temperature, "nvmlDeviceGetTemperature");
    if (!missing.empty()) {
        m_why = "NVIDIA's management library (" + std::string(library) + ") has no " + missing
            + ", so driver and clocks are not known; the driver may be too old.";
        return;
    }
    if (const Code code = functions->init(); code != kSuccess)
        m_why = "NVIDIA's management library says: " + std::string(functions->errorString(code)) + ".";
    else
        m_functions = functions.release();
}

Nvml::~Nvml()
{
    if (m_functions)
        m_functions->shutdown();
    delete m_functions;
    if (m_library)
        dlclose(m_library);
}

NvmlReading Nvml::read(const std::string &pciBusId) const
{
    NvmlReading reading;
    reading.why = m_why;
    if (!m_functions)
        return reading;
    const Functions &nvml = *m_functions;
    std::array<char, 96> driver{};
    if (nvml.driverVersion(driver.data(), driver.size()) == kSuccess)
        reading.driver = driver.data();
    Device device = nullptr;
    if (const Code code = nvml.handleByPciBusId(pciBusId.c_str(), &device); code != kSuccess) {
        reading.why = "NVIDIA's management library does not tell about the device at " + pciBusId + ": "
            + nvml.errorString(code) + ".";
        return reading;
    }
    const auto number = [](const auto &ask, int divisor = 1) { return Functions::number(ask, divisor); };
    reading.clockMhz = number([&](unsigned int *value) { return nvml.clockInfo(device, kClockSm, value); });
    reading.memoryClockMhz = number([&](unsigned int *value) { return nvml.clockInfo(device, kClockMemory, value); });
    reading.powerLimitWatts = number([&](unsigned int *value) { return nvml.powerLimit(device, value); }, 1000);
    reading.temperatureC = number([&](unsigned int *value) { return nvml.temperature(device, kSensorGpu, value); });
    MemoryInfo memory;
    if (nvml.memoryInfo(device, &memory) == kSuccess)
        reading.used = static_cast<Bytes>(memory.used);
    reading.processUsed = nvml.processUsed(device);
    return reading;
}

} // namespace remat::gpu
