// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/device_peaks.h"

#include <algorithm>
#include <cmath>

namespace remat::core {

namespace {

constexpr Bytes kGB = 1'000'000'000;
constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

} // namespace

const std::vector<DevicePeaks> &deviceTable()
{
    static const std::vector<DevicePeaks> table{
        {"t4", "NVIDIA T4", 16 * kGB, 320 * kGiga, 8.1 * kTera, 65 * kTera, "T4 datasheet (fp16)"},
        {"v100-32gb", "NVIDIA V100 SXM2 32 GB", 32 * kGB, 900 * kGiga, 15.7 * kTera, 125 * kTera,
         "V100 datasheet (fp16)"},
        {"l4", "NVIDIA L4", 24 * kGB, 300 * kGiga, 30.3 * kTera, 121 * kTera, "L4 datasheet"},
        {"rtx3090", "NVIDIA GeForce RTX 3090", 24 * kGB, 936 * kGiga, 35.6 * kTera, 71 * kTera,
         "Ampere GA102 white paper"},
        {"rtx4090", "NVIDIA GeForce RTX 4090", 24 * kGB, 1008 * kGiga, 82.6 * kTera, 165.2 * kTera,
         "Ada GPU architecture white paper"},
        {"a100-40gb", "NVIDIA A100 SXM 40 GB", 40 * kGB, 1555 * kGiga, 19.5 * kTera, 312 * kTera, "A100 datasheet"},
        {"l40s", "NVIDIA L40S", 48 * kGB, 864 * kGiga, 91.6 * kTera, 362 * kTera, "L40S datasheet"},
        {"a100-80gb", "NVIDIA A100 SXM 80 GB", 80 * kGB, 2039 * kGiga, 19.5 * kTera, 312 * kTera, "A100 datasheet"},
        {"h100", "NVIDIA H100 SXM", 80 * kGB, 3350 * kGiga, 67 * kTera, 989 * kTera, "H100 datasheet"},
        {"h200", "NVIDIA H200 SXM", 141 * kGB, 4800 * kGiga, 67 * kTera, 989 * kTera, "H200 datasheet"}};
    return table;
}

Result<DevicePeaks> deviceNamed(std::string_view id)
{
    std::string known;
    for (const DevicePeaks &device : deviceTable()) {
        if (device.id == id)
            return device;
        known += (known.empty() ? "" : ", ") + std::string(device.id);
    }
    return Error{ErrorCode::usage,
                 "There is no published device '" + std::string(id) + "' in the table; use one of " + known + "."};
}

Nanoseconds rooflineTime(const WorkAmount &work, const DevicePeaks &device, Dtype dtype)
{
    const double rate = dtype == Dtype::fp32 ? device.flopsFp32 : device.flopsHalf;
    return static_cast<Nanoseconds>(
        std::llround(1e9 * std::max(work.flops / rate, work.bytesMoved / device.bytesPerSecond)));
}

void fillTimes(ChainCosts &costs, const ChainWork &work, const DevicePeaks &device, Dtype dtype)
{
    const auto time = [&](const WorkAmount &amount) { return rooflineTime(amount, device, dtype); };
    for (std::size_t i = 0; i < costs.stages.size() && i < work.stages.size(); ++i) {
        costs.stages[i].forwardNs = time(work.stages[i].forward);
        for (auto &[id, option] : costs.stages[i].options) {
            const auto known = work.stages[i].options.find(id);
            if (known == work.stages[i].options.end())
                continue;
            option.forwardSaveNs = time(known->second.forwardSave);
            option.phantomNs = time(known->second.phantom);
            option.backwardNs = time(known->second.backward);
            option.rebuildNs = time(known->second.rebuild);
        }
    }
    costs.loss.ns = time(work.loss);
    costs.optimizerNs = time(work.optimizer);
}

} // namespace remat::core
