// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "measure/point.h"

namespace remat::app {

/// Sentences on measured points that a table does not say: an option that saves nothing with a fused kernel, and what
/// wrapping parts of a block costs in kept boundaries, and where memory was probably paged. Each rests on numbers of the points.
[[nodiscard]] std::vector<std::string> remarksOn(const std::vector<core::Point> &points);

/// Table and remarks, for people.
void printPoints(const std::vector<core::Point> &points);

} // namespace remat::app
