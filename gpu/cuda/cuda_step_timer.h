// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include <c10/cuda/CUDAEvent.h>

#include "timing/step_timer.h"

namespace remat::gpu {

/// Events on the current stream, read after one synchronisation at the end of the step. Events are kept and used again.
class CudaStepTimer final : public StepTimer
{
public:
    void start() override { m_used = 0; }
    void mark() override;
    [[nodiscard]] std::vector<core::Nanoseconds> read() override;
    void waitForDevice() override;

private:
    std::vector<std::unique_ptr<c10::cuda::CUDAEvent>> m_events;
    std::size_t m_used = 0;
};

} // namespace remat::gpu
