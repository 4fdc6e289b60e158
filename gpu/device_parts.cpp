// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "device_parts.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/host_memory.h"
#include "measure/paging.h"
#include "memory/cpu_memory_recorder.h"

namespace remat::gpu {

namespace {

std::string valueInFile(const char *path, const std::string &key, char separator)
{
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with(key))
            continue;
        std::string value = line.substr(line.find(separator) + 1);
        value.erase(0, value.find_first_not_of(" \t\""));
        value.erase(value.find_last_not_of(" \t\"") + 1);
        return value;
    }
    return {};
}

class CpuParts final : public DeviceParts
{
public:
    [[nodiscard]] c10::Device device() const override { return {c10::DeviceType::CPU}; }
    [[nodiscard]] MemoryRecorder &recorder() override { return m_recorder; }
    [[nodiscard]] StepTimer &timer() override { return m_timer; }
    [[nodiscard]] core::DeviceInfo info() const override
    {
        core::DeviceInfo info;
        info.id = "cpu";
        info.name = cpuName();
        info.totalBytes = physicalMemory();
        info.freeBytes = core::availableHostMemory();
        info.usable = true;
        return info;
    }
    void describe(core::Environment &environment) const override { environment.clockMhz = cpuClockMhz(); }
    [[nodiscard]] core::MemoryPressure pressure() const override { return core::hostPressure(); }

private:
    CpuMemoryRecorder m_recorder;
    CpuStepTimer m_timer;
};

} // namespace

std::unique_ptr<DeviceParts> cpuParts()
{
    return std::make_unique<CpuParts>();
}

std::string cpuName()
{
    const std::string name = valueInFile("/proc/cpuinfo", "model name", ':');
    return name.empty() ? "unknown processor" : name;
}

int cpuClockMhz()
{
    return std::atoi(valueInFile("/proc/cpuinfo", "cpu MHz", ':').c_str());
}

std::string osName()
{
    const std::string name = valueInFile("/etc/os-release", "PRETTY_NAME", '=');
    return name.empty() ? "Linux" : name;
}

core::Bytes physicalMemory()
{
    return static_cast<core::Bytes>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

} // namespace remat::gpu
