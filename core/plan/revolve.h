// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plan/plan_problem.h"
#include "schedule/schedule.h"

namespace remat::core {

/// Forward steps beyond one run of each that reversing n equal steps needs with s snapshots, the initial state among them:
/// r n - C(s+r, s+1), r the least with n <= C(s+r, s) (Griewank & Walther, ACM TOMS 26(1), Algorithm 799). n, s >= 1.
[[nodiscard]] std::int64_t revolveExtraForwards(std::int64_t n, std::int64_t s);

/// The schedule of Algorithm 799 over the blocks of a problem: at most `snapshots` block inputs are held, every block is
/// run with its graph alone and just before its backward. Stages outside the blocks are saved in the forward.
[[nodiscard]] Schedule revolveSchedule(const PlanProblem &problem, int snapshots);

} // namespace remat::core
