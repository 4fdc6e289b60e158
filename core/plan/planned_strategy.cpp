// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/planned_strategy.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace remat::core {

std::vector<std::string> plannableOptions(const ChainShape &shape)
{
    std::vector<std::string> ids;
    const auto &attention = optionIds(StageKind::attention);
    const auto &feedForward = optionIds(StageKind::feedForward);
    if (shape.stagesPerLayer == 2) {
        for (const auto *half : {&attention, &feedForward})
            for (const std::string_view id : *half)
                if (id != "keep_all" && std::find(ids.begin(), ids.end(), id) == ids.end())
                    ids.emplace_back(id);
        return ids;
    }
    // Both halves are one stage: the halves' options in step, from the mildest to the strongest, not all products.
    StageOptions pair;
    for (const std::string_view id : attention) {
        pair.attention = id == "keep_all" ? std::string() : std::string(id);
        for (const std::string_view other : {"keep_all", "lean_mlp", "drop_up"}) {
            pair.feedForward = other == std::string_view("keep_all") ? std::string() : std::string(other);
            if (pair.any() && !pair.attention.ends_with("_norm"))
                ids.push_back(pair.idFor(StageKind::block));
        }
    }
    return ids;
}

Result<Bytes> budgetBytes(const BudgetRule &rule, const ChainCosts &costs, const ChainShape &shape)
{
    if (rule.percent < 0.0)
        return rule.bytes;
    const auto schedule = makeSchedule({}, shape);
    if (!schedule)
        return schedule.error();
    const auto simulation = simulate(*schedule, costs);
    if (!simulation)
        return simulation.error();
    return costs.staticBytes
        + static_cast<Bytes>(std::floor(static_cast<double>(simulation->activationPeak) * rule.percent / 100.0));
}

std::string infeasibleSentence(const PlanAnswer &answer, Bytes budget, const std::vector<std::string> &names)
{
    return "No schedule fits " + formatBytes(budget) + ": the smallest peak is " + formatBytes(answer.minFeasibleBudget)
        + " (" + std::to_string(answer.minFeasibleBudget) + " bytes), set by " + bindingWords(answer.bindingOp, names)
        + "; allow at least that much, or make the batch or the sequence " + "smaller.";
}

Result<Schedule> scheduleFor(const Strategy &strategy, const ChainShape &shape, const ChainCosts &costs)
{
    if (strategy.kind != StrategyKind::budget)
        return makeSchedule(strategy, shape);
    const auto budget = budgetBytes(strategy.budget, costs, shape);
    if (!budget)
        return budget.error();
    auto planner = Planner::make(PlannerKind::optimal, planProblem(costs, shape), {*budget, 0});
    if (!planner)
        return planner.error();
    PlanAnswer answer = planner->plan(*budget);
    if (answer.feasible)
        return std::move(answer.plan.schedule);
    return Error{ErrorCode::doesNotFit, infeasibleSentence(answer, *budget, stageNames(shape))};
}

} // namespace remat::core
