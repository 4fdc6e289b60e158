// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_step_timer.h"

#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include "timing/event_times.h"

namespace remat::gpu {

void CudaStepTimer::mark()
{
    if (m_used == m_events.size())
        m_events.push_back(
            std::make_unique<c10::cuda::CUDAEvent>(cudaEventDefault)); // the default constructor disables timing
    m_events[m_used++]->record();
}

std::vector<core::Nanoseconds> CudaStepTimer::read()
{
    if (m_used > 0)
        m_events[m_used - 1]->synchronize();
    return timesSinceFirst(
        m_used, [this](std::size_t from, std::size_t to) { return m_events[from]->elapsed_time(*m_events[to]); });
}

void CudaStepTimer::waitForDevice()
{
    c10::cuda::device_synchronize();
}

} // namespace remat::gpu
