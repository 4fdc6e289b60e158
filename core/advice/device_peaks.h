// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "formula/formula_costs.h"

namespace remat::core {

/// What a maker publishes of a device: dense peaks without sparsity, for devices that the user does not have. Memory as
/// sold, in units of 10^9 bytes.
struct DevicePeaks
{
    std::string_view id; // as the command line spells it
    std::string_view name;
    Bytes memory = 0;
    double bytesPerSecond = 0;
    double flopsFp32 = 0;
    double flopsHalf = 0; // bf16, or fp16 where the device has no bf16; products accumulated in fp32
    std::string_view source;
};

[[nodiscard]] const std::vector<DevicePeaks> &deviceTable();
[[nodiscard]] Result<DevicePeaks> deviceNamed(std::string_view id);

/// Least time of some work on a device, max(operations / peak rate, bytes / bandwidth) (Williams et al., "Roofline",
/// CACM 52(4)). Real steps are slower; ratios between parts of a step are what it is good for.
[[nodiscard]] Nanoseconds rooflineTime(const WorkAmount &work, const DevicePeaks &device, Dtype dtype);

/// Fills the times of formula costs with roofline times. Never mixed with probed ones: the source stays `formula`.
void fillTimes(ChainCosts &costs, const ChainWork &work, const DevicePeaks &device, Dtype dtype);

} // namespace remat::core
