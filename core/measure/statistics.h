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

/// The median of `samples` where pairs with the `reference` samples of the same rounds show that they differ, as reference
/// median + median difference; else the reference's median. Shown: the interval of order statistics that holds the median
/// of the differences with a confidence of 95 % leaves out 0 (Campbell and Gardner 1988, BMJ 296:1454). Fewer than 6 rounds
/// show nothing. Both have one sample a round; empty: 0.
[[nodiscard]] Nanoseconds medianBeside(const std::vector<Nanoseconds> &samples,
                                       const std::vector<Nanoseconds> &reference);

} // namespace remat::core
