// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "advice/remarks.h"
#include "advice_report.h"
#include "advice_source.h"
#include "command.h"
#include "plan/planned_strategy.h"
#include "point_table.h"
#include "store/session.h"

namespace remat::app {

namespace {

using core::Result;

struct Options
{
    WorkloadOptions workload;
    std::string strategy = "none";
    std::string on = "a100-80gb";
    std::string goal;
    bool devices = false;
    bool advice = false;
    bool reach = false;
    bool formulas = false;
    bool probe = false;
    bool measure = false;
    bool json = false;
};

int listDevices(bool json)
{
    core::Json list = core::Json::array();
    std::vector<std::vector<std::string>> rows{{"device", "name", "memory", "bandwidth", "fp32", "16 bit", "source"}};
    for (const core::DevicePeaks &device : core::deviceTable()) {
        list.push_back({{"id", device.id},
                        {"name", device.name},
                        {"memory_bytes", device.memory},
                        {"bytes_per_second", device.bytesPerSecond},
                        {"flops_fp32", device.flopsFp32},
                        {"flops_16_bit", device.flopsHalf},
                        {"source", device.source}});
        const auto tera = [](double flops) { return core::Json(flops / 1e12).dump() + " TFLOP/s"; };
        rows.push_back({std::string(device.id), std::string(device.name), core::formatBytes(device.memory),
                        core::formatBytes(static_cast<core::Bytes>(device.bytesPerSecond)) + "/s",
                        tera(device.flopsFp32), tera(device.flopsHalf), std::string(device.source)});
    }
    json ? printJson({{"devices", std::move(list)}}) : (void)std::fputs(table(rows).c_str(), stdout);
    return exitDone;
}

/// Everything that was asked for, before it is printed one way or the other.
struct Report
{
    core::Estimate estimate;
    bool roughTimes = false; // some time that is printed is
    bool allOptions = true;  // the costs hold every option that a planner may choose
    std::string aboveBest;
    std::optional<core::Limits> limits;
    std::vector<core::Point> leverPoints;
    std::vector<core::Dominated> dominated;
    std::optional<core::TimeErrors> timeErrors;
    std::vector<core::ReachTable> reaches;
    std::optional<core::GoalAnswer> goal;
    std::string command;
    std::vector<core::PublishedValue> published;
    std::vector<core::Claim> claims;
};

/// A session holds costs of the options that its runs asked for.
bool hasAllOptions(const core::ChainCosts &costs, const core::ChainShape &shape)
{
    const auto ids = core::plannableOptions(shape);
    return std::all_of(ids.begin(), ids.end(), [&](const std::string &id) {
        return std::any_of(costs.stages.begin(), costs.stages.end(),
                           [&](const auto &stage) { return stage.options.contains(id); });
    });
}

Result<void> addEstimate(const AdviceSource &source, const core::Forecast &forecast, Report &report)
{
    const core::SweepPlan &plan = source.plan;
    const core::ChainShape shape = chainShape(plan.model, plan.workload);
    const auto schedule = scheduleFor(plan.strategies.front(), shape, forecast.costs);
    if (!schedule)
        return schedule.error();
    auto estimate = estimateOf(plan.model, plan.workload, forecast.costs, *schedule);
    const auto simulation = simulate(*schedule, forecast.costs);
    if (!estimate || !simulation)
        return !estimate ? estimate.error() : simulation.error();
    report.estimate = std::move(*estimate);
    report.estimate.approximate = forecast.approximate;
    report.allOptions = hasAllOptions(forecast.costs, shape);
    report.roughTimes = forecast.roughTimes && plan.strategies.front().kind != core::StrategyKind::none;
    auto planner
        = core::Planner::make(core::PlannerKind::optimal, planProblem(forecast.costs, shape), {simulation->peak, 0});
    if (!planner)
        return planner.error();
    report.aboveBest = core::aboveBestWords(simulation->stepNs, planner->plan(simulation->peak).plan.simulation.stepNs)
        + (forecast.roughTimes ? " (rough times)" : "");
    return {};
}

Result<void> addAdvice(const AdviceSource &source, bool measure, Report &report)
{
    auto limits = limitsOf(source.plan.model, source.plan.workload, source.costsAt);
    if (!limits)
        return limits.error();
    report.limits = std::move(*limits);
    report.dominated = core::dominatedSettings(core::settingsOf(source.points, true));
    report.timeErrors = core::timeErrors(source.points);
    if (!measure)
        return {};
    std::vector<core::SweepPlan> plans(1 + report.limits->levers.size(), source.plan);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        plans[i].strategies = {core::Strategy{}};
        if (i > 0)
            plans[i].workload = report.limits->levers[i - 1].workload;
    }
    auto points = measured(plans);
    if (!points)
        return points.error();
    report.leverPoints = std::move(*points);
    return {};
}

Result<void> addReach(const AdviceSource &source, Report &report)
{
    for (const core::Dimension dimension : {core::Dimension::batch, core::Dimension::sequence}) {
        auto table = reachOf(dimension, source.plan.model, source.plan.workload, source.plan.workload.memoryBudget,
                             source.costsAt);
        if (!table)
            return table.error();
        report.reaches.push_back(std::move(*table));
    }
    return {};
}

Result<void> addGoal(const AdviceSource &source, const std::string &text, Report &report)
{
    const auto kind = core::goalFrom(text);
    if (!kind)
        return kind.error();
    auto answer
        = answerGoal(*kind, source.plan.model, source.plan.workload, source.plan.workload.memoryBudget, source.costsAt);
    if (!answer)
        return answer.error();
    report.command = commandFor(*answer, source.plan.model, source.argument, usableCores());
    report.goal = std::move(*answer);
    return {};
}

Result<void> addFormulas(AdviceSource &source, const core::Forecast &forecast, bool measure, Report &report)
{
    const core::SweepPlan &plan = source.plan;
    if (measure) {
        core::SweepPlan sweep = plan;
        sweep.strategies.clear();
        for (const std::string &name : core::referenceStrategies(chainShape(plan.model, plan.workload)))
            if (auto strategy = core::parseStrategy(name))
                sweep.strategies.push_back(std::move(*strategy));
        auto points = measured({sweep});
        if (!points)
            return points.error();
        source.points = std::move(*points);
    }
    const auto reference = referenceOf(plan.model, plan.workload, forecast.costs, source.points);
    if (!reference)
        return reference.error();
    report.published = publishedValues(plan.model, plan.workload, *reference);
    report.claims = testedClaims(plan.model, plan.workload, *reference);
    return {};
}

core::Json reportJson(const Report &report)
{
    core::Json json = toJson(report.estimate);
    json["above_best"] = report.aboveBest;
    json["all_options"] = report.allOptions;
    if (report.limits) {
        json["advice"] = toJson(*report.limits);
        json["advice"]["measured"] = core::Json::array();
        for (const core::Point &point : report.leverPoints)
            json["advice"]["measured"].push_back(toJson(point));
        json["advice"]["dominated"] = core::Json::array();
        for (const core::Dominated &dominated : report.dominated)
            json["advice"]["dominated"].push_back(core::sentence(dominated, {}, core::kActivationMemory));
    }
    for (const core::ReachTable &table : report.reaches)
        json["reach"][table.dimension == core::Dimension::batch ? "batch" : "sequence"] = toJson(table);
    if (report.goal) {
        json["goal"] = toJson(*report.goal);
        json["goal"]["command"] = report.goal->reachable ? core::Json(report.command) : core::Json(nullptr);
    }
    if (!report.published.empty()) {
        json["formulas"] = toJson(report.published);
        json["claims"] = toJson(report.claims);
    }
    return json;
}

void print(const Report &report, const Options &options)
{
    printEstimate(report.estimate, options.strategy, !report.limits); // the advice says it in its own words
    if (!report.allOptions)
        std::puts(
            "Any schedule here means one of the options that the session has costs of; others may need less still: "
            "estimate the model config, or sweep with --strategies auto.");
    if (options.strategy != "none")
        std::printf("%s is %s.\n", options.strategy.c_str(), report.aboveBest.c_str());
    if (report.limits)
        for (const std::string &sentence : sentences(*report.limits))
            std::puts(sentence.c_str());
    for (const core::Dominated &dominated : report.dominated)
        std::puts(core::sentence(dominated, {}, core::kActivationMemory).c_str());
    if (report.timeErrors)
        std::puts(core::sentence(*report.timeErrors).c_str());
    if (!report.leverPoints.empty())
        printLevers(*report.limits, report.leverPoints);
    for (const core::ReachTable &table : report.reaches)
        printReach(table);
    if (report.goal)
        printGoal(*report.goal, report.command);
    if (!report.published.empty()) {
        printPublished(report.published);
        printClaims(report.claims);
    }
    if (report.roughTimes)
        std::printf(
            "Times are rough: the published peaks of %s, which real steps do not reach; see --on and --probe.\n",
            options.on.c_str());
}

Result<Report> makeReport(const Options &options)
{
    auto source = core::looksLikeSession(options.workload.config)
        ? adviceOnSession(options.workload, options.strategy, options.on)
        : adviceOnConfig(options.workload, options.strategy, options.on, options.probe);
    if (!source)
        return source.error();
    const auto forecast = source->own ? Result<core::Forecast>(*source->own)
                                      : source->costsAt(source->plan.model, source->plan.workload);
    if (!forecast)
        return forecast.error();
    Report report;
    if (auto added = addEstimate(*source, *forecast, report); !added)
        return added.error();
    if (options.advice)
        if (auto added = addAdvice(*source, options.measure, report); !added)
            return added.error();
    if (options.reach)
        if (auto added = addReach(*source, report); !added)
            return added.error();
    if (!options.goal.empty())
        if (auto added = addGoal(*source, options.goal, report); !added)
            return added.error();
    report.roughTimes |= !options.probe && (report.limits || report.goal || options.reach);
    report.roughTimes |= forecast->roughTimes && options.formulas;
    if (options.formulas)
        if (auto added = addFormulas(*source, *forecast, options.measure, report); !added)
            return added.error();
    return report;
}

int runEstimate(const Options &options)
{
    const auto usage = [](const std::string &text) {
        return fail({core::ErrorCode::usage, "remat estimate: " + text + "; see remat estimate --help."});
    };
    if (options.devices)
        return listDevices(options.json);
    if (options.workload.config.empty())
        return usage("CONFIG is required");
    if ((options.reach || !options.goal.empty()) && options.workload.memoryBudget.empty())
        return usage("--reach and --goal need --memory-budget, for example 24GiB");
    if (options.measure && !options.advice && !options.formulas)
        return usage("--measure runs what --advice or --compare-formulas speak of; add one of them");
    if (options.probe && core::looksLikeSession(options.workload.config))
        return usage("the costs of a session are probed already; leave out --probe");
    if (const auto goal = core::goalFrom(options.goal); !options.goal.empty() && !goal)
        return fail(goal.error());
    const auto report = makeReport(options);
    if (!report)
        return fail(report.error());
    if (options.json)
        printJson(reportJson(*report));
    else
        print(*report, options);
    return report->goal && !report->goal->reachable ? exitDoesNotFit : exitDone;
}

} // namespace

void addEstimateCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command
        = addCommand(app, "estimate",
                     "Where memory will go, what checkpointing can save, and what to do; runs nothing unless asked to",
                     "remat estimate config.json --batch 8 --seq 1024 --advice");
    options->workload.addTo(*command);
    command->get_option("CONFIG")->required(false)->description(
        "model config, or a session whose probed costs and measured points are taken");
    command->add_option("--strategy", options->strategy, "see inspect --strategies")->capture_default_str();
    command->add_flag("--advice", options->advice, "what limits the peak, what lowers it, and which settings to avoid");
    command->add_flag("--reach", options->reach,
                      "largest batch and longest sequence within --memory-budget, a strategy each");
    command->add_option("--goal", options->goal,
                        "what to run within --memory-budget: fits, fastest or longest-sequence");
    command->add_flag("--compare-formulas", options->formulas,
                      "published formulas and claims beside what really happens, each with its error");
    command->add_flag("--measure", options->measure, "run what --advice or --compare-formulas speak of, and compare");
    command->add_flag("--probe", options->probe, "probe the costs on the device instead of taking the formula's");
    command
        ->add_option("--on", options->on,
                     "published peaks that the formula's rough times are taken from; see --devices")
        ->capture_default_str();
    command->add_flag("--devices", options->devices, "list the published peaks of devices instead");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runEstimate(*options); }; });
}

} // namespace remat::app
