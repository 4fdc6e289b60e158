// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include <c10/core/Device.h>

#include "measure/training_backend.h"
#include "memory/memory_recorder.h"
#include "timing/step_ranges.h"
#include "timing/step_timer.h"

namespace remat::gpu {

/// What differs between kinds of devices, in one place: recorder, timer, waiting. The CPU's parts are here, the CUDA
/// twins in the plug-in. Owned by the backend, used from the executor's thread.
class DeviceParts
{
public:
    virtual ~DeviceParts() = default;
    [[nodiscard]] virtual c10::Device device() const = 0;
    [[nodiscard]] virtual MemoryRecorder &recorder() = 0;
    [[nodiscard]] virtual StepTimer &timer() = 0;
    virtual void synchronise() { }
    /// Called before a recorded step: caches emptied, peaks reset.
    virtual void settle() { }
    [[nodiscard]] virtual core::DeviceInfo info() const = 0;
    /// Fills what the device tells of itself now: clocks, driver, bytes in use.
    virtual void describe(core::Environment &environment) const = 0;
    [[nodiscard]] virtual core::MemoryPressure pressure() const = 0;
    /// Where an attached profiler is told what runs; null where there is none.
    [[nodiscard]] virtual RangeMarker *ranges() { return nullptr; }
};

[[nodiscard]] std::unique_ptr<DeviceParts> cpuParts();

/// What the CPU and the operating system call themselves.
[[nodiscard]] std::string cpuName();
/// The clock of the first core now; 0 where the system does not say.
[[nodiscard]] int cpuClockMhz();
[[nodiscard]] std::string osName();
[[nodiscard]] core::Bytes physicalMemory();

} // namespace remat::gpu
