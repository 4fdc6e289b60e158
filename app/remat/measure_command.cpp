// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>

#include "command.h"
#include "largest_batch.h"
#include "point_remarks.h"
#include "sweep_series.h"

namespace remat::app {

namespace {

struct Options
{
    WorkloadOptions workload;
    std::string strategy = "none";
    std::string session;
    bool json = false;
};

/// The worst of the points decides: cancelled, then not measured, then does not fit.
int exitCodeOf(const SweepOutcome &outcome)
{
    if (outcome.cancelled)
        return exitCancelled;
    int code = exitDone;
    for (const core::Point &point : outcome.points) {
        if (point.status == core::RunStatus::doesNotFit)
            code = code == exitDone ? exitDoesNotFit : code;
        else if (point.status != core::RunStatus::done)
            code = exitFailed;
    }
    return code;
}

int runMeasure(const Options &options)
{
    auto plans = options.workload.plans({options.strategy});
    if (!plans)
        return fail(plans.error());
    if (options.workload.batch == WorkloadOptions::kLargest)
        return runLargestBatches(plans->front(), options.session, options.json);
    auto outcome = runSeries(*plans, options.session, options.json);
    if (!outcome)
        return fail(outcome.error());
    if (!options.json)
        printPoints(outcome->points);
    else if (outcome->points.size() == 1)
        printJson(toJson(outcome->points.front()));
    else
        printJson(pointsJson(outcome->points, options.session));
    return exitCodeOf(*outcome);
}

} // namespace

void addMeasureCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "measure", "Measure one strategy on real training steps",
                                   "remat measure config.json --strategy every:2 --batch 8 --session runs.remat");
    options->workload.addTo(*command);
    command->add_option("--strategy", options->strategy, "see inspect --strategies")->required();
    command->add_option("--session", options->session, "session file that stores the run");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runMeasure(*options); }; });
}

} // namespace remat::app
