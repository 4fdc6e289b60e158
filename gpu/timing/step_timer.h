// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/units.h"

namespace remat::gpu {

/// Takes time stamps along a step: one implementation a kind of device. Marks are numbered from 0; their times are read
/// after the step, in nanoseconds since the first mark.
class StepTimer
{
public:
    virtual ~StepTimer() = default;
    virtual void start() = 0;
    virtual void mark() = 0;
    [[nodiscard]] virtual std::vector<core::Nanoseconds> read() = 0;
    /// Waits until the device has done what was asked of it; a recorded step does so after every op.
    virtual void waitForDevice() { }
};

/// The host's steady clock.
class CpuStepTimer final : public StepTimer
{
public:
    void start() override { m_marks.clear(); }
    void mark() override { m_marks.push_back(Clock::now()); }
    [[nodiscard]] std::vector<core::Nanoseconds> read() override
    {
        std::vector<core::Nanoseconds> times;
        times.reserve(m_marks.size());
        for (const Clock::time_point mark : m_marks)
            times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(mark - m_marks.front()).count());
        return times;
    }

private:
    using Clock = std::chrono::steady_clock;
    static_assert(Clock::is_steady);
    std::vector<Clock::time_point> m_marks;
};

} // namespace remat::gpu
