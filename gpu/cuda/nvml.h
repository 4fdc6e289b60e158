// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "base/units.h"

namespace remat::gpu {

/// What NVIDIA's management library tells of a device at one moment; 0 and -1 where it does not.
struct NvmlReading
{
    std::string driver;
    int clockMhz = 0; // of the streaming multiprocessors
    int memoryClockMhz = 0;
    int powerLimitWatts = 0;
    int temperatureC = 0;
    core::Bytes used = -1;        // of the whole device
    core::Bytes processUsed = -1; // by this process; unknown inside a container with process ids of its own
    std::string why;              // why nothing is known
};

/// The management library, opened at run time and never linked: it comes with the driver and may be absent, which is no
/// error. Used from the executor's thread; lives as long as the process.
class Nvml
{
public:
    explicit Nvml(const char *library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml &) = delete;
    Nvml &operator=(const Nvml &) = delete;

    /// Of the device at a PCI address ("0000:65:00.0"): its numbers are not always CUDA's.
    [[nodiscard]] NvmlReading read(const std::string &pciBusId) const;

private:
    struct Functions;
    void *m_library = nullptr;
    Functions *m_functions = nullptr;
    std::string m_why;
};

} // namespace remat::gpu
