// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "advice/device_peaks.h"
#include "plan/plan_problem.h"
#include "workload_options.h"

namespace remat::app {

/// Costs to plan with and where they came from: a session, a chain file, a formula or a probe.
struct CostsForPlan
{
    core::ChainCosts costs;
    core::ChainShape shape; // of a model
    bool isChain = false;   // an abstract chain, which has no shape
    std::int64_t timeScale = 1;
    std::string workloadHash;
    std::vector<std::string> stageNames;
    std::string roughTimes; // the device whose published peaks times were made of; empty: they were measured

    [[nodiscard]] core::PlanProblem problem() const
    {
        return isChain ? core::planProblem(costs) : core::planProblem(costs, shape);
    }
};

/// Costs at the plan's workload from a child that probes, with its progress on the terminal.
[[nodiscard]] core::Result<core::ChainCosts> probedCosts(const core::SweepPlan &plan);

[[nodiscard]] core::Result<CostsForPlan> costsOfChain(const std::string &path);

/// The costs that a session keeps for one of its workloads; 0: the last one that has some.
[[nodiscard]] core::Result<CostsForPlan> costsOfSession(const std::string &path, std::int64_t workload);

/// Costs of a config under the workload of the command line: bytes by formula and times by the published peaks of
/// `device`, which runs nothing; or, without one, probed on the workload's device.
[[nodiscard]] core::Result<CostsForPlan> costsOfConfig(const WorkloadOptions &options, const core::DevicePeaks *device);

} // namespace remat::app
