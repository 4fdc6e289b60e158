// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/planner.h"
#include "schedule/strategy.h"

namespace remat::core {

/// The option ids, as ops carry them, that a planner may choose from on a chain of this shape: what has to be probed
/// before `budget` strategies can be planned.
[[nodiscard]] std::vector<std::string> plannableOptions(const ChainShape &shape);

/// The bytes that a rule allows on these costs. Errors: costs that do not fit the schedule of `none`.
[[nodiscard]] Result<Bytes> budgetBytes(const BudgetRule &rule, const ChainCosts &costs, const ChainShape &shape);

/// The schedule of any strategy; a `budget` is planned from the costs. Errors of makeSchedule, and doesNotFit with the
/// smallest budget that is possible and the op that sets it.
[[nodiscard]] Result<Schedule> scheduleFor(const Strategy &strategy, const ChainShape &shape, const ChainCosts &costs);

/// What an infeasible answer tells: the smallest budget, and what sets it.
[[nodiscard]] std::string infeasibleSentence(const PlanAnswer &answer, Bytes budget,
                                             const std::vector<std::string> &names);

} // namespace remat::core
