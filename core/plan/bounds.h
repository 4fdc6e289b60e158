// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_problem.h"

namespace remat::core {

/// A lower bound of the step time of every schedule with a peak of at most `budget`: when the first backward starts, the
/// live graphs must fit, and every stage without one runs once more (0/1 knapsack over the stages, weights rounded down;
/// planning after Beaumont et al., arXiv 1911.13214). The time of save-all where memory does not bind. -1 where no schedule
/// can fit.
[[nodiscard]] Nanoseconds knapsackTimeBound(const ChainCosts &costs, Bytes budget);

} // namespace remat::core
