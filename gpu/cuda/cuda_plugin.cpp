// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_loader.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include "cuda/cuda_allocator.h"
#include "cuda/cuda_step_timer.h"

namespace remat::gpu {

namespace {

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
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaSetDevice(device) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess)
        info.freeBytes = static_cast<core::Bytes>(free);
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

private:
    int m_device;
    CudaAllocator m_allocator;
    TraceRecorder m_recorder;
    CudaStepTimer m_timer;
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
