// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_problem.h"
#include "schedule/schedule.h"

namespace remat::core {

/// The persistent schedule with the smallest peak, and that peak without the chain's base and floor. Exact in bytes: the
/// recursion of ChainTable with "largest" in place of "sum of times",
///
///     P(s, t) = min( keep: max(guard, W_s + P(s+1, t)); recompute: max(forwards, w_j + P(j, t), P(s, j-1)) ).
///
/// O(n³) for n stages.
struct SmallestPlan
{
    Bytes peak = 0;
    Schedule schedule;
};
[[nodiscard]] SmallestPlan smallestPlan(const PlanChain &chain);

/// A bound that no schedule passes: the working set of each stage, the forward pairs and the loss, whatever else is held
/// (Beaumont et al., arXiv 1911.13214, section 4). Without the base; negative where less than the base may do.
[[nodiscard]] Bytes workingSetBound(const PlanChain &chain);

} // namespace remat::core
