// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_problem.h"

namespace remat::core {

/// Peak of save-all without the chain's base, in bytes, every size rounded up to whole slots; slot 1 gives the exact one.
[[nodiscard]] Bytes saveAllPeak(const PlanChain &chain, Bytes slot);

/// Bytes per slot of a planner's table. With `slots` > 0 that many up to the save-all peak; else a common divisor of all
/// sizes where few slots suffice for it, else the coarsest slot (500 or more) with which rounding up raises the save-all
/// peak by at most 0.5 %.
[[nodiscard]] Bytes slotFor(const PlanChain &chain, int slots = 0);

} // namespace remat::core
