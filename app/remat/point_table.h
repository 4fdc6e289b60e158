// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "measure/point.h"

namespace remat::app {

/// Text in columns, as wide as their widest entry; the first row is the head.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>> &rows);

/// Points as a table for people, and under it the reasons of runs that did not end well.
[[nodiscard]] std::string pointTable(const std::vector<core::Point> &points);

/// Everything about one point, a line each.
[[nodiscard]] std::string pointDetails(const core::Point &point);

} // namespace remat::app
