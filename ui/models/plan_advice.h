// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/step_story.h"

namespace remat::ui {

/// What the planner has to say of a mark that is no plan: the plan within the same peak, where it is predicted to be faster
/// by more than the mark's spread, and how far the mark is above the best possible. Of a plan: what was measured within
/// its budget. `predictedNs` is the mark's step on the front's costs, -1 where it is not known. Predictions are called so.
[[nodiscard]] std::vector<Advice> planAdvice(const CurveMark &own, const CurveData &curve,
                                             core::Nanoseconds predictedNs);

} // namespace remat::ui
