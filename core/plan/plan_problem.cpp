// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plan_problem.h"

#include <algorithm>

namespace remat::core {

namespace {

/// Is there anything in which `a` is better than `b`?
bool beats(const PlanOption &a, const PlanOption &b)
{
    return a.saved < b.saved || a.save < b.save || a.savePhantom < b.savePhantom || a.backward < b.backward
        || a.saveNs + a.backwardNs < b.saveNs + b.backwardNs || a.phantomNs + a.backwardNs < b.phantomNs + b.backwardNs
        || (b.keepsOutput && !a.keepsOutput) || (b.keepsInput && !a.keepsInput);
}

PlanOption optionOf(const std::string &id, const OptionCost &cost, Bytes backward)
{
    PlanOption option;
    option.id = id;
    option.saved = cost.saved;
    option.keepsInput = cost.keepsInput;
    option.keepsOutput = cost.keepsOutput;
    option.save = cost.forwardSave.total;
    option.savePhantom = cost.forwardSavePhantom.total;
    option.backward = backward;
    option.saveNs = cost.forwardSaveNs;
    option.phantomNs = cost.phantomNs;
    option.backwardNs = cost.backwardNs + cost.rebuildNs;
    return option;
}

/// Gradients of the whole chain, and how many exist before each backward of the first micro-batch.
struct Gradients
{
    bool exist = false; // in every micro-batch that sets the peak
    Bytes all = 0;
    Bytes done = 0;

    /// What a backward needs on top of what is held, where gradients that exist are part of what is held. The first
    /// micro-batch has room for those that do not exist yet.
    [[nodiscard]] Bytes need(const Transient &first, const Transient &later, bool kept) const
    {
        if (!exist)
            return first.total;
        return kept ? later.total : std::max(later.total, first.total - (all - done));
    }
};

PlanStage stageOf(const StageCost &cost, const Gradients &gradients, bool kept)
{
    PlanStage stage;
    stage.output = cost.output;
    stage.forward = cost.forward.total;
    stage.forwardNs = cost.forwardNs;
    stage.gradient = gradients.exist ? 0 : cost.gradientGrowth;
    stage.remembered = cost.remembered;
    for (const auto &[id, option] : cost.options)
        stage.options.push_back(optionOf(id, option, gradients.need(option.backwardFirst, option.backwardLater, kept)));
    // Of options that are equal in everything the first stays.
    for (std::size_t i = stage.options.size(); i-- > 1;) {
        const bool needed = std::all_of(stage.options.begin(), stage.options.end(), [&](const PlanOption &other) {
            const PlanOption &mine = stage.options[i];
            return &other == &mine || beats(mine, other) || (beats(other, mine) ? false : &other > &mine);
        });
        if (!needed)
            stage.options.erase(stage.options.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return stage;
}

/// The frozen stages' forward pairs; they run before anything else is held.
void addFrozenFloor(const ChainCosts &costs, Bytes surroundings, PlanChain &chain)
{
    for (int i = 0; i < chain.frozen; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Bytes entering = i == 0 ? 0 : costs.stages[at - 1].output;
        chain.floor = std::max(chain.floor, surroundings + entering + costs.stages[at].forward.total);
    }
}

/// Does every way to run a stage hold its input until the backward?
bool pinsInput(const PlanStage &stage)
{
    return std::all_of(stage.options.begin(), stage.options.end(), [](const PlanOption &o) { return o.keepsInput; });
}

} // namespace

PlanProblem planProblem(ChainCosts costs, const ChainShape &shape)
{
    PlanProblem problem{std::move(costs), {}};
    for (int layer = 0; layer < shape.layers; ++layer)
        if (shape.firstStageOf(layer) >= shape.firstTrainable)
            problem.blocks.push_back({shape.firstStageOf(layer), shape.firstStageOf(layer + 1) - 1});
    return problem;
}

PlanProblem planProblem(ChainCosts chain)
{
    PlanProblem problem{std::move(chain), {}};
    for (int stage = problem.costs.firstTrainable; stage < static_cast<int>(problem.costs.stages.size()); ++stage)
        problem.blocks.push_back({stage, stage});
    return problem;
}

Bytes PlanChain::unpinned() const
{
    return frozen == 0 || stages.empty() || pinsInput(stages.front()) ? 0 : input;
}

Bytes PlanChain::countedLonger() const
{
    Bytes sum = unpinned();
    for (int i = 0; i < size(); ++i) {
        const PlanStage &stage = stages[static_cast<std::size_t>(i)];
        sum += stage.remembered + (i == 0 || pinsInput(stage) ? 0 : boundary(i));
    }
    return sum;
}

PlanChain planChain(const ChainCosts &costs)
{
    PlanChain chain;
    const bool kept = costs.gradientsKept;
    Gradients gradients;
    gradients.exist = kept || costs.microBatches > 1;
    gradients.all = costs.loss.gradientGrowth;
    Bytes remembered = 0;
    for (std::size_t i = static_cast<std::size_t>(costs.firstTrainable); i < costs.stages.size(); ++i) {
        gradients.all += costs.stages[i].gradientGrowth;
        remembered += costs.stages[i].remembered;
    }
    chain.offset = chain.frozen = costs.firstTrainable;
    const Bytes surroundings = costs.staticBytes + costs.input;
    const Bytes existing = kept ? 0 : gradients.all;
    chain.floor = surroundings + existing + costs.optimizer.total;
    addFrozenFloor(costs, surroundings, chain);
    chain.input = chain.frozen == 0 ? costs.input : costs.stages[static_cast<std::size_t>(chain.frozen) - 1].output;
    // What stages remember is counted throughout: it is all there when the loss starts.
    chain.base = surroundings + remembered + (chain.frozen == 0 ? 0 : chain.input) + (gradients.exist ? existing : 0);
    chain.loss = gradients.need(costs.loss.first, costs.loss.later, kept);
    chain.lossNs = costs.loss.ns;
    chain.lossGradient = gradients.exist ? 0 : costs.loss.gradientGrowth;
    gradients.done = costs.loss.gradientGrowth;
    for (std::size_t i = costs.stages.size(); i-- > static_cast<std::size_t>(chain.frozen);) {
        chain.stages.push_back(stageOf(costs.stages[i], gradients, kept));
        gradients.done += costs.stages[i].gradientGrowth;
    }
    std::reverse(chain.stages.begin(), chain.stages.end());
    chain.gradientsUpTo.push_back(0);
    for (const PlanStage &stage : chain.stages)
        chain.gradientsUpTo.push_back(chain.gradientsUpTo.back() + stage.gradient);
    chain.gradientsUpTo.push_back(chain.gradientsUpTo.back() + chain.lossGradient);
    return chain;
}

std::vector<std::vector<int>> sharedIntervals(const PlanChain &chain)
{
    const int n = chain.size();
    std::vector<std::vector<int>> shared(static_cast<std::size_t>(n) + 1);
    for (int s = 0; s <= n; ++s)
        shared[static_cast<std::size_t>(s)].assign(static_cast<std::size_t>(n - s) + 1, s);
    for (int distance = n - 1; distance >= 1; --distance) {
        int equal = 0; // stages that are alike from a and b on
        for (int a = n - 1 - distance; a >= 0; --a) {
            const int b = a + distance;
            const bool same = chain.stages[static_cast<std::size_t>(a)] == chain.stages[static_cast<std::size_t>(b)];
            equal = same ? equal + 1 : 0;
            for (int length = 0; length < equal; ++length) {
                int &first = shared[static_cast<std::size_t>(b)][static_cast<std::size_t>(length)];
                first = std::min(first, a);
            }
        }
    }
    return shared;
}

} // namespace remat::core
