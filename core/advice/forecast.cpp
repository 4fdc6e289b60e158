// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/forecast.h"

#include "plan/planned_strategy.h"

namespace remat::core {

Result<Forecast> formulaForecast(const ModelConfig &model, const Workload &workload, const DevicePeaks &device)
{
    auto formula = chainFormula(model, workload, plannableOptions(chainShape(model, workload)));
    if (!formula)
        return formula.error();
    Forecast forecast{std::move(formula->costs), formula->approximate, true, std::string(device.id)};
    fillTimes(forecast.costs, formula->work, device, workload.dtype);
    return forecast;
}

Result<Expected> expect(const Strategy &strategy, const ModelConfig &model, const Workload &workload,
                        const ChainCosts &costs)
{
    const auto schedule = scheduleFor(strategy, chainShape(model, workload), costs);
    if (!schedule)
        return schedule.error();
    const auto simulation = simulate(*schedule, costs);
    if (!simulation)
        return simulation.error();
    Expected expected{strategy.text, simulation->peak, simulation->activationPeak, simulation->stepNs};
    const double tokens = static_cast<double>(workload.batch * workload.seq * workload.microBatches);
    if (expected.step > 0)
        expected.tokensPerSecond = tokens * 1e9 / static_cast<double>(expected.step);
    return expected;
}

} // namespace remat::core
