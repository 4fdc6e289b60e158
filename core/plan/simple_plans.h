// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/plan_problem.h"
#include "schedule/schedule.h"

namespace remat::core {

/// A schedule and the rule that it follows, in the words of the strategy list where it has one ("segments:3").
struct Candidate
{
    std::string rule;
    Schedule schedule;
};

/// Everything saved, each stage as it is by default.
[[nodiscard]] Candidate saveAllPlan(const PlanProblem &problem);

/// Every block checkpointed alone; the same with the last block kept, as checkpoint_sequential does.
[[nodiscard]] std::vector<Candidate> everyBlockPlans(const PlanProblem &problem);

/// Segments of k blocks for every k, all rerun, and each with the last segment kept (Narayanan et al., arXiv 2104.04473,
/// section 3.5: best near k = sqrt(N b / a)).
[[nodiscard]] std::vector<Candidate> uniformPlans(const PlanProblem &problem);

/// The first n blocks checkpointed alone, n = 0 … N.
[[nodiscard]] std::vector<Candidate> prefixPlans(const PlanProblem &problem);

/// One choice of options for all blocks, everything saved that these leave (Korthikanti et al., arXiv 2205.05198,
/// section 5); without options only save-all.
[[nodiscard]] std::vector<Candidate> selectivePlans(const PlanProblem &problem);

/// Chen et al., arXiv 1604.06174, Algorithm 3: segments cut greedily where the bytes since the last cut exceed B, for
/// B = 0 and a grid around sqrt(x y) of that result.
[[nodiscard]] std::vector<Candidate> chenPlans(const PlanProblem &problem);

/// Segments of ⌈√N⌉ blocks.
[[nodiscard]] std::vector<Candidate> squareRootPlans(const PlanProblem &problem);

/// Algorithm 799 for every number of snapshots.
[[nodiscard]] std::vector<Candidate> revolvePlans(const PlanProblem &problem);

/// What a planner finds that caps the sum of saved bytes instead of the peak: per block keep (with options) or checkpoint,
/// a multiple-choice knapsack. Its peak may be above the budget and may rise as the budget falls (pytorch issue 197838);
/// it is here to show that.
[[nodiscard]] std::vector<Candidate> knapsackPlan(const PlanProblem &problem, Bytes budget);

} // namespace remat::core
