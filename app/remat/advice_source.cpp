// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice_source.h"

#include <map>
#include <memory>

#include "advice/command_line.h"
#include "cost_source.h"
#include "plan/planned_strategy.h"
#include "store/session.h"
#include "sweep_series.h"

namespace remat::app {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

core::CostsAt byFormula(const core::DevicePeaks &device)
{
    return [device](const core::ModelConfig &model, const core::Workload &workload) {
        return core::formulaForecast(model, workload, device);
    };
}

/// Each workload is probed once: advice and tables come back to the same ones.
core::CostsAt byProbe(const core::SweepPlan &plan)
{
    auto known = std::make_shared<std::map<std::string, core::Forecast>>();
    return [plan, known](const core::ModelConfig &model, const core::Workload &workload) -> Result<core::Forecast> {
        const std::string hash = workloadHash(model, workload);
        if (const auto found = known->find(hash); found != known->end())
            return found->second;
        core::SweepPlan at = plan;
        at.model = model;
        at.workload = workload;
        auto everything = core::parseStrategy("budget:100%"); // asks for every option that a planner may choose
        if (!everything)
            return everything.error();
        at.strategies = {*everything};
        auto costs = probedCosts(at);
        if (!costs)
            return costs.error();
        return known->insert_or_assign(hash, core::Forecast{std::move(*costs), false, false}).first->second;
    };
}

/// The model's own options, which no workload carries.
std::string argumentOf(const WorkloadOptions &options)
{
    std::string text = core::shellWord(options.config);
    if (!options.family.empty())
        text += " --family " + core::shellWord(options.family);
    if (options.vocabulary > 0)
        text += " --vocab " + std::to_string(options.vocabulary);
    if (options.layers > 0)
        text += " --layers " + std::to_string(options.layers);
    if (options.hiddenScale != 1.0)
        text += " --hidden-scale " + core::Json(options.hiddenScale).dump();
    return text;
}

Result<void> addPoints(const core::Session &session, std::int64_t workload, std::vector<core::Point> &points)
{
    const auto runs = session.runs();
    if (!runs)
        return runs.error();
    for (const core::StoredRun &run : *runs)
        if (run.workload == workload)
            points.push_back(run.point);
    return {};
}

} // namespace

Result<AdviceSource> adviceOnConfig(const WorkloadOptions &options, const std::string &strategy,
                                    const std::string &device, bool probe)
{
    using Limit = WorkloadOptions::Limit;
    auto plan = options.onePlan(strategy, probe ? Limit::device : Limit::none);
    if (!plan)
        return plan.error();
    const auto peaks = core::deviceNamed(device);
    if (!peaks)
        return peaks.error();
    AdviceSource source;
    source.plan = std::move(*plan);
    source.costsAt = probe ? byProbe(source.plan) : byFormula(*peaks);
    source.argument = argumentOf(options);
    return source;
}

Result<AdviceSource> adviceOnSession(const WorkloadOptions &options, const std::string &strategy,
                                     const std::string &device)
{
    if (auto alone = options.besideSession({"--memory-budget", "--repeats"}); !alone)
        return alone.error();
    const auto session = core::Session::open(options.config);
    if (!session)
        return session.error();
    const auto workloads = session->workloads();
    const auto peaks = core::deviceNamed(device);
    const auto budget = options.memoryBudget.empty() ? Result<core::Bytes>(0) : core::parseBytes(options.memoryBudget);
    if (!budget)
        return budget.error();
    auto parsed = core::parseStrategy(strategy);
    if (!workloads || !peaks || !parsed)
        return !workloads ? workloads.error() : !peaks ? peaks.error() : parsed.error();
    for (auto stored = workloads->rbegin(); stored != workloads->rend(); ++stored) {
        auto costs = session->costs(stored->id);
        if (!costs)
            return costs.error();
        if (!*costs)
            continue;
        AdviceSource source;
        source.plan = {stored->model, stored->workload, {std::move(*parsed)}, options.repeats};
        source.argument = "CONFIG"; // a session keeps the model, not where its config lies
        source.plan.workload.memoryBudget = *budget;
        source.costsAt = byFormula(*peaks);
        source.own = core::Forecast{std::move(**costs), false, false};
        if (auto added = addPoints(*session, stored->id, source.points); !added)
            return added.error();
        return source;
    }
    return Error{ErrorCode::refused,
                 "The session '" + options.config + "' holds no costs; measure something into it first."};
}

Result<std::vector<core::Point>> measured(const std::vector<core::SweepPlan> &plans)
{
    auto outcome = runSeries(plans, {}, true);
    if (!outcome)
        return outcome.error();
    if (outcome->cancelled)
        return Error{ErrorCode::cancelled, "The measurement was cancelled."};
    return std::move(outcome->points);
}

} // namespace remat::app
