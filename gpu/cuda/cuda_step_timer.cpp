// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_step_timer.h"

#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

namespace remat::gpu {

namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

} // namespace

void CudaStepTimer::mark()
{
    if (m_used == m_events.size())
        m_events.push_back(
            std::make_unique<c10::cuda::CUDAEvent>(cudaEventDefault)); // the default constructor disables timing
    m_events[m_used++]->record();
}

std::vector<core::Nanoseconds> CudaStepTimer::read()
{
    std::vector<core::Nanoseconds> times;
    if (m_used == 0)
        return times;
    m_events[m_used - 1]->synchronize();
    times.reserve(m_used);
    for (std::size_t i = 0; i < m_used; ++i)
        times.push_back(static_cast<core::Nanoseconds>(static_cast<double>(m_events[0]->elapsed_time(*m_events[i]))
                                                       * kNanosecondsPerMillisecond));
    return times;
}

void CudaStepTimer::waitForDevice()
{
    c10::cuda::device_synchronize();
}

} // namespace remat::gpu
