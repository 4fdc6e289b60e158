// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/bounds.h"

#include <algorithm>

#include "plan/knapsack.h"

namespace remat::core {

namespace {

constexpr int kBoundSlots = 4000;

/// What a live graph holds at least: an output it keeps, or an input it pins; counted by one of the two throughout, so
/// that no boundary counts twice.
Bytes heldBy(const PlanChain &chain, int stage, const PlanOption &option, bool countOutputs)
{
    const Bytes boundary = countOutputs  ? chain.boundary(stage + 1)
        : stage > 0 && option.keepsInput ? chain.boundary(stage)
                                         : 0;
    return option.saved + boundary;
}

} // namespace

Nanoseconds knapsackTimeBound(const ChainCosts &costs, Bytes budget)
{
    const PlanChain chain = planChain(costs);
    const int n = chain.size();
    bool countOutputs = true;
    for (const PlanStage &stage : chain.stages)
        for (const PlanOption &option : stage.options)
            countOutputs = countOutputs && option.keepsOutput;
    std::vector<std::vector<KnapsackChoice>> items(static_cast<std::size_t>(n));
    Bytes leastBackward = -1;
    for (int i = 0; i < n; ++i) {
        const PlanStage &stage = chain.stages[static_cast<std::size_t>(i)];
        Nanoseconds rerun = -1;
        for (const PlanOption &option : stage.options) {
            // A graph made by the stage's only run has a reader of its output.
            const Nanoseconds live = std::min(option.saveNs, stage.forwardNs + option.phantomNs) + option.backwardNs;
            items[static_cast<std::size_t>(i)].push_back({heldBy(chain, i, option, countOutputs), live});
            const Nanoseconds time = std::min(option.saveNs, option.phantomNs) + option.backwardNs;
            rerun = rerun < 0 ? time : std::min(rerun, time);
            if (i + 1 == n)
                leastBackward = leastBackward < 0 ? option.backward : std::min(leastBackward, option.backward);
        }
        // The last stage's graph is there: its backward is the one that starts.
        if (i + 1 < n)
            items[static_cast<std::size_t>(i)].push_back({0, stage.forwardNs + rerun});
    }
    const Bytes held = chain.boundary(n) + leastBackward + chain.lossGradient;
    const auto best
        = solveKnapsack(items, budget - (chain.base - chain.unpinned()) - held, kBoundSlots, Rounding::down);
    if (!best || budget < chain.floor)
        return -1;
    Nanoseconds frozen = 0;
    for (int i = 0; i < chain.frozen; ++i)
        frozen += costs.stages[static_cast<std::size_t>(i)].forwardNs;
    return costs.microBatches * (frozen + best->cost + chain.lossNs) + costs.optimizerNs + costs.otherNs;
}

} // namespace remat::core
