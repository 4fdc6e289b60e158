// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/estimate.h"

#include <algorithm>

#include "model/parameter_inventory.h"
#include "model/static_memory.h"
#include "plan/planner.h"
#include "plan/working_set.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

MemoryParts partsAtPeak(const ModelConfig &model, const Workload &workload, const ChainCosts &costs,
                        const SimulatedOp &at, bool isLoss)
{
    MemoryParts parts;
    const ParameterCount count = countParameters(model, workload.train);
    const Bytes element = weightElementSize(workload.dtype);
    parts.weights = element * count.total;
    parts.optimizer = optimizerStateBytes(model, workload);
    const Bytes kept = costs.gradientsKept ? element * count.trainable : 0;
    // Held = static part + gradients of this step + activations.
    parts.gradients = kept + at.heldBefore - costs.staticBytes - at.activationBefore;
    parts.inputs = costs.staticBytes - parts.weights - parts.optimizer - kept;
    parts.activations = at.activationBefore;
    (isLoss ? parts.logits : parts.temporaries) = at.peak - at.heldBefore;
    return parts;
}

} // namespace

Result<Estimate> estimateOf(const ModelConfig &model, const Workload &workload, const ChainCosts &costs,
                            const Schedule &schedule)
{
    const auto simulation = simulate(schedule, costs);
    if (!simulation)
        return simulation.error();
    const ChainShape shape = chainShape(model, workload);
    const auto names = stageNames(shape);
    const Schedule smallest = smallestPlan(planChain(costs)).schedule;
    const auto least = simulate(smallest, costs);
    if (!least)
        return least.error();
    const auto none = makeSchedule({}, shape);
    const auto everything = none ? simulate(*none, costs) : Result<Simulation>(none.error());
    if (!everything)
        return everything.error();
    Estimate estimate;
    estimate.peak = simulation->peak;
    estimate.activationPeak = simulation->activationPeak;
    estimate.peakOp = peakOp(schedule, *simulation);
    estimate.peakWhere = bindingWords(estimate.peakOp, names);
    estimate.parts
        = partsAtPeak(model, workload, costs, simulation->ops[static_cast<std::size_t>(simulation->peakIndex)],
                      estimate.peakOp == "L");
    estimate.smallestPeak = std::min(least->peak, everything->peak);
    estimate.smallestOp = peakOp(smallest, *least);
    estimate.smallestWhere = bindingWords(estimate.smallestOp, names);
    estimate.maxSaving = everything->peak - estimate.smallestPeak;
    return estimate;
}

Json toJson(const Estimate &estimate)
{
    const MemoryParts &parts = estimate.parts;
    return {{"peak_bytes", estimate.peak},
            {"parts",
             {{"weights", parts.weights},
              {"optimizer", parts.optimizer},
              {"gradients", parts.gradients},
              {"inputs", parts.inputs},
              {"activations", parts.activations},
              {"logits", parts.logits},
              {"temporaries", parts.temporaries}}},
            {"peak_op", estimate.peakOp},
            {"peak_where", estimate.peakWhere},
            {"activation_peak_bytes", estimate.activationPeak},
            {"smallest_peak_bytes", estimate.smallestPeak},
            {"smallest_op", estimate.smallestOp},
            {"smallest_where", estimate.smallestWhere},
            {"max_saving_bytes", estimate.maxSaving},
            {"approximate", estimate.approximate}};
}

} // namespace remat::core
