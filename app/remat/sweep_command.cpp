// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "cost_source.h"
#include "largest_batch.h"
#include "plan/front_choice.h"
#include "point_remarks.h"
#include "point_table.h"
#include "sweep_series.h"

namespace remat::app {

namespace {

struct Options
{
    WorkloadOptions workload;
    std::vector<std::string> strategies;
    std::string session;
    bool json = false;
};

bool isAutomatic(const Options &options)
{
    return options.strategies == std::vector<std::string>{"auto"};
}

/// Costs first, then what is worth measuring on them.
core::Result<void> chooseStrategies(core::SweepPlan &plan)
{
    const auto costs = probedCosts(plan);
    if (!costs)
        return costs.error();
    const auto texts = core::strategiesThatMatter(*costs, chainShape(plan.model, plan.workload));
    if (!texts)
        return texts.error();
    plan.strategies.clear();
    for (const std::string &text : *texts)
        plan.strategies.push_back(core::parseStrategy(text).value());
    return {};
}

int runSweepCommand(const Options &options)
{
    // The widest budget asks the probe for every option that a plan may use.
    auto plans = options.workload.plans(isAutomatic(options) ? std::vector<std::string>{"none", "budget:100%"}
                                                             : options.strategies);
    if (!plans)
        return fail(plans.error());
    const bool largest = options.workload.batch == WorkloadOptions::kLargest;
    for (core::SweepPlan &plan : *plans) {
        if (auto chosen = isAutomatic(options) ? chooseStrategies(plan) : core::Result<void>(); !chosen)
            return fail(chosen.error());
    }
    if (largest)
        return runLargestBatches(plans->front(), options.session, options.json);
    auto outcome = runSeries(*plans, options.session, options.json);
    if (!outcome)
        return fail(outcome.error());
    if (options.json)
        printJson(pointsJson(outcome->points, options.session));
    else
        printPoints(outcome->points);
    if (outcome->cancelled)
        return exitCancelled;
    const bool measured = std::all_of(outcome->points.begin(), outcome->points.end(), [](const core::Point &point) {
        return point.status == core::RunStatus::done || point.status == core::RunStatus::doesNotFit;
    });
    return measured ? exitDone : exitFailed;
}

} // namespace

void addSweepCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command
        = addCommand(app, "sweep", "Measure several strategies, interleaved",
                     "remat sweep config.json --strategies none every:1 every:2 segments:2 --session runs.remat");
    options->workload.addTo(*command);
    command->add_option("--strategies", options->strategies, "several words, or auto; see inspect --strategies")
        ->required();
    command->add_option("--session", options->session, "session file that stores the runs")->required();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runSweepCommand(*options); }; });
}

} // namespace remat::app
