// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "advice/device_peaks.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"

namespace remat::core {

/// Costs of a workload with every option that a planner may choose, and how far they can be trusted. A plain value.
struct Forecast
{
    ChainCosts costs;
    bool approximate = false; // bytes are lower bounds: see ChainFormula::approximate
    bool roughTimes = false;  // times are a device's published peaks, which real steps do not reach
    std::string roughOn = {}; // that device
};

/// Where advice takes the costs of a resolved workload from: a formula or a probe. Called once for each workload that is
/// looked at. An Error with ErrorCode::doesNotFit means that not even one block fits, and ends no search.
using CostsAt = std::function<Result<Forecast>(const ModelConfig &, const Workload &)>;

/// By formula: bytes from shapes, times from the published peaks of `device`. Runs nothing; milliseconds.
[[nodiscard]] Result<Forecast> formulaForecast(const ModelConfig &model, const Workload &workload,
                                               const DevicePeaks &device);

/// One schedule on forecast costs: what is expected of it.
struct Expected
{
    std::string strategy;
    Bytes peak = 0;
    Bytes activationPeak = 0;
    Nanoseconds step = 0;
    double tokensPerSecond = 0.0;
};

/// Errors: those of scheduleFor (a budget that nothing fits is doesNotFit) and of simulate.
[[nodiscard]] Result<Expected> expect(const Strategy &strategy, const ModelConfig &model, const Workload &workload,
                                      const ChainCosts &costs);

} // namespace remat::core
