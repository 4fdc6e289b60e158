// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "advice/device_peaks.h"
#include "advice/estimate.h"
#include "command.h"
#include "plan/planned_strategy.h"
#include "point_table.h"
#include "workload_options.h"

namespace remat::app {

namespace {

struct Options
{
    WorkloadOptions workload;
    std::string strategy = "none";
    bool devices = false;
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

void printEstimate(const core::Estimate &estimate, const std::string &strategy)
{
    const core::MemoryParts &parts = estimate.parts;
    std::printf("%s: peak %s at %s (%s)\n", strategy.c_str(), core::formatBytes(estimate.peak).c_str(),
                estimate.peakWhere.c_str(), estimate.peakOp.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const auto &[name, bytes] :
         {std::pair{"weights", parts.weights}, std::pair{"optimizer state", parts.optimizer},
          std::pair{"gradients", parts.gradients}, std::pair{"inputs and constants", parts.inputs},
          std::pair{"activations", parts.activations}, std::pair{"logits and loss", parts.logits},
          std::pair{"temporaries", parts.temporaries}})
        rows.push_back({std::string("  ") + name, core::formatBytes(bytes)});
    std::fputs(table(rows).c_str(), stdout);
    std::printf("The most that any schedule can save against none: %s; the smallest peak is %s, set by %s.\n",
                core::formatBytes(estimate.maxSaving).c_str(), core::formatBytes(estimate.smallestPeak).c_str(),
                estimate.smallestWhere.c_str());
    if (estimate.approximate)
        std::puts("Approximate: scratch of products is only known on the machine itself; every peak is at least this.");
}

int runEstimate(const Options &options)
{
    if (options.devices)
        return listDevices(options.json);
    if (options.workload.config.empty())
        return fail({core::ErrorCode::usage, "remat estimate: CONFIG is required; see remat estimate --help."});
    const auto plan = options.workload.onePlan(options.strategy, WorkloadOptions::Limit::none);
    if (!plan)
        return fail(plan.error());
    auto ids = core::optionsOf(*plan);
    if (!ids)
        return fail(ids.error());
    // "Any schedule" means any option as well.
    for (std::string &id : core::plannableOptions(chainShape(plan->model, plan->workload)))
        if (std::find(ids->begin(), ids->end(), id) == ids->end())
            ids->push_back(std::move(id));
    const auto formula = core::chainFormula(plan->model, plan->workload, *ids);
    if (!formula)
        return fail(formula.error());
    const auto schedule = makeSchedule(plan->strategies.front(), chainShape(plan->model, plan->workload));
    if (!schedule)
        return fail(schedule.error());
    auto estimate = core::estimateOf(plan->model, plan->workload, formula->costs, *schedule);
    if (!estimate)
        return fail(estimate.error());
    estimate->approximate = formula->approximate;
    if (options.json)
        printJson(toJson(*estimate));
    else
        printEstimate(*estimate, plan->strategies.front().text);
    return exitDone;
}

} // namespace

void addEstimateCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command
        = addCommand(app, "estimate", "Where memory will go, and the most that checkpointing can save; runs nothing",
                     "remat estimate config.json --batch 8 --seq 1024");
    options->workload.addTo(*command);
    command->get_option("CONFIG")->required(false);
    command->add_option("--strategy", options->strategy, "see inspect --strategies")->capture_default_str();
    command->add_flag("--devices", options->devices, "list the published peaks of devices instead");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runEstimate(*options); }; });
}

} // namespace remat::app
