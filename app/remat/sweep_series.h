// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner_job.h"
#include "workload_options.h"

namespace remat::app {

/// Runs sweeps one after the other with a progress line; ends after the first that was cancelled. Notes go to standard
/// error unless `quiet`.
[[nodiscard]] core::Result<SweepOutcome> runSeries(const std::vector<core::SweepPlan> &plans,
                                                   const std::string &session, bool quiet);

/// {"session":…,"points":[…]}.
[[nodiscard]] core::Json pointsJson(const std::vector<core::Point> &points, const std::string &session);

} // namespace remat::app
