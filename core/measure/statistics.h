// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "measure/point.h"

namespace remat::core {

/// Median and quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996). Empty: zeros.
[[nodiscard]] StepTime summarise(std::vector<Nanoseconds> steps);

/// (q3 - q1) / median; 0 where the median is 0.
[[nodiscard]] double relativeSpread(const StepTime &time);

/// True where the two spreads [q1, q3] do not overlap, so that the points may be ranked by speed.
[[nodiscard]] bool separable(const StepTime &a, const StepTime &b);

} // namespace remat::core
