// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cost_source.h"

#include "console_progress.h"
#include "json_file.h"
#include "plan/planned_strategy.h"
#include "runner_job.h"
#include "schedule/chain_file.h"
#include "store/session.h"

namespace remat::app {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

CostsForPlan costsOfModel(core::ChainCosts costs, const core::ModelConfig &model, const core::Workload &workload)
{
    CostsForPlan result;
    result.costs = std::move(costs);
    result.shape = chainShape(model, workload);
    result.workloadHash = workloadHash(model, workload);
    result.stageNames = stageNames(result.shape);
    return result;
}

Result<CostsForPlan> formulaCostsOf(const core::SweepPlan &plan, const core::DevicePeaks &device)
{
    auto formula
        = core::chainFormula(plan.model, plan.workload, core::plannableOptions(chainShape(plan.model, plan.workload)));
    if (!formula)
        return formula.error();
    fillTimes(formula->costs, formula->work, device, plan.workload.dtype);
    CostsForPlan result = costsOfModel(std::move(formula->costs), plan.model, plan.workload);
    result.roughTimes = device.name;
    return result;
}

} // namespace

Result<core::ChainCosts> probedCosts(const core::SweepPlan &plan)
{
    Interrupt interrupt;
    ConsoleProgress progress;
    return probeInChild(plan, interrupt, [&](const core::RunnerEvent &event) { progress.show(event); });
}

Result<CostsForPlan> costsOfChain(const std::string &path)
{
    const auto json = readJsonFile(path);
    if (!json)
        return json.error();
    auto chain = core::chainFromJson(*json, path);
    if (!chain)
        return chain.error();
    CostsForPlan result;
    result.costs = std::move(chain->costs);
    result.timeScale = chain->timeScale;
    result.isChain = true;
    return result;
}

Result<CostsForPlan> costsOfSession(const std::string &path, std::int64_t workload)
{
    const auto session = core::Session::open(path);
    if (!session)
        return session.error();
    const auto workloads = session->workloads();
    if (!workloads)
        return workloads.error();
    for (auto stored = workloads->rbegin(); stored != workloads->rend(); ++stored) {
        if (workload != 0 && stored->id != workload)
            continue;
        auto costs = session->costs(stored->id);
        if (!costs)
            return costs.error();
        if (*costs)
            return costsOfModel(std::move(**costs), stored->model, stored->workload);
    }
    return Error{ErrorCode::refused,
                 "The session '" + path + "' holds no costs"
                     + (workload != 0 ? " for workload " + std::to_string(workload) : std::string())
                     + "; measure something into it first."};
}

Result<CostsForPlan> costsOfConfig(const WorkloadOptions &options, const core::DevicePeaks *device)
{
    using Limit = WorkloadOptions::Limit;
    const auto plan = options.onePlan("budget:100%", device != nullptr ? Limit::none : Limit::device);
    if (!plan)
        return plan.error();
    if (device != nullptr)
        return formulaCostsOf(*plan, *device);
    auto costs = probedCosts(*plan);
    return costs ? costsOfModel(std::move(*costs), plan->model, plan->workload) : Result<CostsForPlan>(costs.error());
}

} // namespace remat::app
