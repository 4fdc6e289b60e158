// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_allocator.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

#include "torch_version.h"

namespace remat::gpu {

namespace cca = c10::cuda::CUDACachingAllocator;
using c10::DeviceIndex;

namespace {

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

} // namespace

DeviceAllocator::Statistics CudaAllocator::statistics() const
{
    const auto stats = cca::getDeviceStats(static_cast<DeviceIndex>(m_device));
    return {stats.requested_bytes[kAll].current, stats.requested_bytes[kAll].peak, stats.allocated_bytes[kAll].peak,
            stats.reserved_bytes[kAll].peak, stats.reserved_bytes[kAll].current};
}

void CudaAllocator::resetPeaks()
{
    cca::resetPeakStats(static_cast<DeviceIndex>(m_device));
}

void CudaAllocator::emptyCache()
{
    cca::emptyCache();
}

void CudaAllocator::setFraction(double fraction)
{
    cca::setMemoryFraction(fraction, static_cast<DeviceIndex>(m_device));
}

core::Bytes CudaAllocator::totalBytes() const
{
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, m_device));
    return static_cast<core::Bytes>(properties.totalGlobalMem);
}

std::vector<Segment> CudaAllocator::segments() const
{
    std::vector<Segment> segments;
    for (const auto &info : cca::snapshot({0, 0}, false).segments) {
        if (info.device != m_device)
            continue;
        Segment &segment = segments.emplace_back();
        for (const auto &block : info.blocks)
            segment.push_back({static_cast<core::Bytes>(block.size), !block.allocated && !block.active});
    }
    return segments;
}

void CudaAllocator::attach(TraceRecorder &recorder) const
{
    // Called before the exception is thrown: while it unwinds, the step's blocks go, and the state with them.
    cca::attachOutOfMemoryObserver([&recorder, this](std::int64_t device, auto...) {
        if (device != m_device)
            return;
        try {
            recorder.onFailure(stateOf(segments()));
        } catch (const std::exception &) {
            recorder.onFailure({}); // the reason then lacks a sentence; what failed is the allocation
        }
    });
    cca::attachAllocatorTraceTracker([&recorder, device = m_device](const auto &entry) {
        using Entry = std::decay_t<decltype(entry)>;
        if (entry.device_ != device)
            return;
        if (entry.action_ == Entry::ALLOC)
            recorder.onAllocation(entry.addr_, static_cast<core::Bytes>(entry.size_));
        else if (entry.action_ == Entry::FREE_REQUESTED)
            recorder.onRelease(entry.addr_, static_cast<core::Bytes>(entry.size_));
    });
}

} // namespace remat::gpu
