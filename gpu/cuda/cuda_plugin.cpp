// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_loader.h"

#include <array>
#include <cstdlib>
#include <tuple>

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include "cuda/cuda_allocator.h"
#include "cuda/cuda_step_timer.h"
#include "cuda/nvml.h"
#include "cuda/nvtx_ranges.h"
#include "measure/paging.h"

namespace remat::gpu {

namespace {

NvmlReading nvmlReading(int device)
{
    static const Nvml *nvml = new Nvml; // lives as long as the process
    std::array<char, 32> address{};
    if (cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device) != cudaSuccess)
        return {};
    return nvml->read(address.data());
}

/// Bytes of the device that any program uses, and all of them; -1 where the device does not answer.
std::pair<core::Bytes, core::Bytes> usedOf(int device)
{
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess)
        return {-1, -1};
    return {static_cast<core::Bytes>(total - free), static_cast<core::Bytes>(total)};
}

core::DeviceInfo infoOf(int device)
{
    core::DeviceInfo info;
    info.id = "cuda:" + std::to_string(device);
    cudaDeviceProp properties{};
    if (const cudaError_t code = cudaGetDeviceProperties(&properties, device); code != cudaSuccess) {
        info.why = std::string("CUDA says: ") + cudaGetErrorString(code) + ".";
        return info;
    }
    info.name = properties.name;
    info.totalBytes = static_cast<core::Bytes>(properties.totalGlobalMem);
    if (const auto [used, total] = usedOf(device); total >= 0) {
        info.freeBytes = total - used;
        info.usedBytes = used;
    }
    const NvmlReading reading = nvmlReading(device);
    info.driver = reading.driver;
    info.processUsedBytes = reading.processUsed;
    info.note = reading.why;
    info.usable = true;
    return info;
}

class CudaParts final : public DeviceParts
{
public:
    explicit CudaParts(int device) : m_device(device), m_allocator(device), m_recorder(m_allocator)
    {
        at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
        c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
        m_allocator.attach(m_recorder);
    }

    [[nodiscard]] c10::Device device() const override
    {
        return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(m_device)};
    }
    [[nodiscard]] MemoryRecorder &recorder() override { return m_recorder; }
    [[nodiscard]] StepTimer &timer() override { return m_timer; }
    void synchronise() override { c10::cuda::device_synchronize(); }
    void settle() override
    {
        c10::cuda::device_synchronize();
        m_allocator.emptyCache();
    }
    [[nodiscard]] core::DeviceInfo info() const override { return infoOf(m_device); }
    void describe(core::Environment &environment) const override
    {
        const NvmlReading reading = nvmlReading(m_device);
        environment.driver = reading.driver;
        environment.clockMhz = reading.clockMhz;
        environment.memoryClockMhz = reading.memoryClockMhz;
        environment.powerLimitWatts = reading.powerLimitWatts;
        environment.temperatureC = reading.temperatureC;
        environment.deviceUsedBytes = reading.used >= 0 ? reading.used : usedOf(m_device).first;
        environment.processUsedBytes = reading.processUsed;
        environment.deviceWhy = reading.why;
    }
    [[nodiscard]] core::MemoryPressure pressure() const override
    {
        core::MemoryPressure pressure = core::hostPressure();
        std::tie(pressure.deviceUsed, pressure.deviceTotal) = usedOf(m_device);
        pressure.reserved = m_allocator.statistics().reserved;
        return pressure;
    }
    [[nodiscard]] RangeMarker *ranges() override
    {
        static const bool wanted = rangesWanted([](const char *name) { return std::getenv(name); });
        return wanted && NvtxRanges::available() ? &m_ranges : nullptr;
    }

private:
    int m_device;
    CudaAllocator m_allocator;
    TraceRecorder m_recorder;
    CudaStepTimer m_timer;
    NvtxRanges m_ranges;
};

class Plugin final : public CudaPlugin
{
public:
    std::vector<core::DeviceInfo> devices() override
    {
        std::vector<core::DeviceInfo> list;
        for (int i = 0; i < c10::cuda::device_count(); ++i)
            list.push_back(infoOf(i));
        return list;
    }
    std::unique_ptr<DeviceParts> parts(int index) override { return std::make_unique<CudaParts>(index); }
};

} // namespace

} // namespace remat::gpu

/// See remat::gpu::CreateCudaPlugin.
extern "C" __attribute__((visibility("default"))) remat::gpu::CudaPlugin *remat_cuda_create()
{
    static auto *plugin = new remat::gpu::Plugin; // lives as long as the process, as the tracker does
    return plugin;
}
