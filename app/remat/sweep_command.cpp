// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "largest_batch.h"
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

int runSweepCommand(const Options &options)
{
    auto plans = options.workload.plans(options.strategies);
    if (!plans)
        return fail(plans.error());
    if (options.workload.batch == WorkloadOptions::kLargest)
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
