// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "plan/planner.h"

namespace remat::core {

/// How an answer is written down: what it was asked for, and in which unit times are (timeScale of the costs' units are
/// one; 1 for nanoseconds).
struct PlanContext
{
    std::string planner;
    std::string workloadHash;
    Bytes budget = 0;
    std::int64_t timeScale = 1;
    CostSource source = CostSource::probe;
    std::vector<std::string> stageNames; // empty: an abstract chain
};

/// A time in the unit of its chain: a whole number where it is one.
[[nodiscard]] Json timeJson(Nanoseconds time, std::int64_t timeScale);

/// {feasible, time, peak, extra_forward, schedule, min_feasible_budget, binding_op, binding, bound_time, rule, planner,
/// budget, source}; `schedule` is a whole plan file. Without a feasible plan time, peak, extra_forward and schedule are
/// null.
[[nodiscard]] Json toJson(const PlanAnswer &answer, const PlanContext &context);

/// One point of a Pareto front: {peak, time, extra_forward, rule}.
[[nodiscard]] Json toJson(const Plan &plan, std::int64_t timeScale);

} // namespace remat::core
