// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/plan_front.h"

#include <algorithm>

#include "plan/planned_strategy.h"

namespace remat::ui {

namespace {

/// Enough that no step of a dragged line is coarser than a pixel.
constexpr int kMostPlans = 512;

bool knowsEveryOption(const core::ChainCosts &costs, const core::ChainShape &shape)
{
    const std::vector<std::string> ids = core::plannableOptions(shape);
    return std::all_of(ids.begin(), ids.end(), [&](const std::string &id) {
        return std::any_of(costs.stages.begin(), costs.stages.end(),
                           [&](const core::StageCost &stage) { return stage.options.contains(id); });
    });
}

} // namespace

const FrontPlan *PlanFront::fastestWithin(core::Bytes budget) const
{
    const auto after = std::upper_bound(plans.begin(), plans.end(), budget,
                                        [](core::Bytes most, const FrontPlan &plan) { return most < plan.peak; });
    return after == plans.begin() ? nullptr : &*std::prev(after);
}

std::string PlanFront::bindingWords() const
{
    return core::bindingWords(bindingOp, core::stageNames(shape));
}

std::optional<core::Bytes> PlanFront::budgetOf(const core::Strategy &strategy) const
{
    if (strategy.kind != core::StrategyKind::budget)
        return std::nullopt;
    const auto bytes = core::budgetBytes(strategy.budget, costs, shape);
    return bytes ? std::optional(*bytes) : std::nullopt;
}

const FrontPlan *PlanFront::planOf(const core::Strategy &strategy) const
{
    const auto budget = budgetOf(strategy);
    return budget ? fastestWithin(*budget) : nullptr;
}

core::Result<PlanFront> makeFront(core::ChainCosts costs, const core::ChainShape &shape, std::stop_token stop)
{
    auto planner = core::Planner::make(core::PlannerKind::optimal, core::planProblem(costs, shape), {}, stop);
    if (!planner)
        return planner.error();
    PlanFront front;
    for (core::Plan &plan : planner->front(kMostPlans)) {
        const core::Simulation &step = plan.simulation;
        front.plans.push_back(
            {std::move(plan.schedule), step.peak, step.activationPeak, step.stepNs, step.recomputedForwards});
    }
    front.bindingOp = planner->plan(front.smallest()).bindingOp;
    front.withOptions = knowsEveryOption(costs, shape);
    front.costs = std::move(costs);
    front.shape = shape;
    return front;
}

} // namespace remat::ui
