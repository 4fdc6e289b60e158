// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>

#include "advice/remarks.h"
#include "command.h"
#include "json_file.h"
#include "plan/plan_json.h"
#include "schedule/chain_file.h"
#include "schedule/simulator.h"

namespace remat::app {

namespace {

struct Options
{
    std::string chain;
    std::string schedule;
    bool best = false;
    bool json = false;
};

/// The time of the fastest schedule that an optimal plan finds within so much memory.
core::Result<core::Nanoseconds> bestTime(const core::ChainCosts &costs, core::Bytes peak)
{
    auto planner = core::Planner::make(core::PlannerKind::optimal, core::planProblem(costs), {peak, 0});
    return planner ? core::Result<core::Nanoseconds>(planner->plan(peak).plan.simulation.stepNs)
                   : core::Result<core::Nanoseconds>(planner.error());
}

core::Json simulationJson(const core::Schedule &schedule, const core::Result<core::Simulation> &simulation,
                          std::int64_t timeScale)
{
    core::Json json{{"valid", simulation.has_value()},
                    {"problem", nullptr},
                    {"time", nullptr},
                    {"peak", nullptr},
                    {"peak_op", nullptr},
                    {"extra_forward", nullptr}};
    if (!simulation) {
        json["problem"] = simulation.error().message;
        return json;
    }
    json["time"] = core::timeJson(simulation->stepNs, timeScale);
    json["peak"] = simulation->peak;
    json["peak_op"] = core::peakOp(schedule, *simulation);
    json["extra_forward"] = core::timeJson(simulation->extraForwardNs, timeScale);
    return json;
}

int runSimulate(const Options &options)
{
    const auto chain = readJsonFile(options.chain);
    if (!chain)
        return fail(chain.error());
    const auto read = core::chainFromJson(*chain, options.chain);
    if (!read)
        return fail(read.error());
    const auto document = readJsonFile(options.schedule);
    if (!document)
        return fail(document.error());
    const auto plan = core::planFromJson(*document, options.schedule);
    if (!plan)
        return fail(plan.error());
    const auto simulation = core::simulate(plan->schedule, read->costs);
    core::Json json = simulationJson(plan->schedule, simulation, read->timeScale);
    std::string aboveBest;
    if (options.best && simulation) {
        const auto best = bestTime(read->costs, simulation->peak);
        if (!best)
            return fail(best.error());
        json["best_time"] = core::timeJson(*best, read->timeScale);
        aboveBest = core::aboveBestWords(simulation->stepNs, *best);
    }
    if (options.json)
        printJson(json);
    if (!simulation) {
        if (!options.json)
            return fail(simulation.error());
        std::fprintf(stderr, "%s\n", simulation.error().message.c_str());
        return exitFailed;
    }
    if (!options.json) {
        std::printf("time %s, peak %lld at %s, extra forward time %s\n", json.at("time").dump().c_str(),
                    static_cast<long long>(simulation->peak), json.at("peak_op").get<std::string>().c_str(),
                    json.at("extra_forward").dump().c_str());
        if (options.best)
            std::printf("%s (%s)\n", aboveBest.c_str(), json.at("best_time").dump().c_str());
    }
    return exitDone;
}

} // namespace

void addSimulateCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "simulate", "Predict memory and time of a schedule on a chain of costs",
                                   "remat simulate --chain chain.json --schedule plan.json --json");
    command->add_option("--chain", options->chain, "chain file: costs of every stage")->required();
    command->add_option("--schedule", options->schedule, "plan file")->required();
    command->add_flag("--best", options->best, "say how far it is above the fastest plan of the same memory");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runSimulate(*options); }; });
}

} // namespace remat::app
