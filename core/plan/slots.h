// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "plan/plan_problem.h"

namespace remat::core {

/// Peak of save-all without the chain's base, in bytes, every size rounded up to whole slots; slot 1 gives the exact one.
[[nodiscard]] Bytes saveAllPeak(const PlanChain &chain, Bytes slot);

/// Bytes per slot of a planner's table. With `slots` > 0 that many up to the save-all peak; else a common divisor of all
/// sizes where few slots suffice for it, else the coarsest slot (500 or more) with which rounding up raises the save-all
/// peak by at most 0.5 %.
[[nodiscard]] Bytes slotFor(const PlanChain &chain, int slots = 0);

/// The slots from `first` to `last` at which time(slots) drops, the first finite one among them, ascending.
template <typename Time>
[[nodiscard]] std::vector<int> dropsOf(int first, int last, Time time)
{
    std::vector<int> drops;
    double before = std::numeric_limits<double>::infinity();
    for (int slots = first; slots <= last; ++slots) {
        const double now = time(slots);
        if (now < before)
            drops.push_back(slots);
        before = now;
    }
    return drops;
}

} // namespace remat::core
