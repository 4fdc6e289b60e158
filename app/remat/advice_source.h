// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/forecast.h"
#include "workload_options.h"

namespace remat::app {

/// What advice is given about, and where its costs and measurements come from.
struct AdviceSource
{
    core::SweepPlan plan;  // the workload, and one strategy
    core::CostsAt costsAt; // one source for every workload that is looked at: a formula, or a probe in a child
    std::optional<core::Forecast> own; // probed costs of the workload itself, where a session keeps them
    std::vector<core::Point> points;   // measured under this workload: of a session
    std::string argument;              // what stands for the config in a command line, shell quoted
};

/// Of the config of the options. With `probe` costs are probed, else bytes are by formula and times rough, from the
/// published peaks of `device`.
[[nodiscard]] core::Result<AdviceSource> adviceOnConfig(const WorkloadOptions &options, const std::string &strategy,
                                                        const std::string &device, bool probe);

/// Of the last workload that a session keeps costs of. Those are its own; what would be elsewhere is by
/// formula, never mixed. Of the options the session's path (CONFIG), the memory budget and the repeats
/// count; others are refused.
[[nodiscard]] core::Result<AdviceSource> adviceOnSession(const WorkloadOptions &options, const std::string &strategy,
                                                         const std::string &device);

/// Runs the strategies of each plan and adds what was measured; a progress line on the terminal. Errors: cancelled.
[[nodiscard]] core::Result<std::vector<core::Point>> measured(const std::vector<core::SweepPlan> &plans);

} // namespace remat::app
