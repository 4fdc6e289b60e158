// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "store/session.h"

namespace remat::core {

/// A point as flat columns, in the order and with the names of the view `points`, then those of `environment` with that
/// prefix. What was not measured is null.
[[nodiscard]] std::vector<std::pair<std::string, Json>> flatColumns(const Point &point);

/// One line per run under a line of names, as RFC 4180 has it. Nulls are empty fields; bytes and nanoseconds stay whole.
[[nodiscard]] std::string pointsAsCsv(const std::vector<StoredRun> &runs);

} // namespace remat::core
