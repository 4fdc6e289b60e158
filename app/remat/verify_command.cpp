// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>

#include "command.h"
#include "console_progress.h"
#include "point_table.h"
#include "runner_job.h"
#include "workload_options.h"

namespace remat::app {

namespace {

struct Options
{
    WorkloadOptions workload;
    std::string strategy;
    int steps = 1;
    bool json = false;
};

core::Result<core::Verification> verify(const Options &options)
{
    const auto plan = options.workload.onePlan(options.strategy);
    if (!plan)
        return plan.error();
    Interrupt interrupt;
    ConsoleProgress progress;
    return verifyInChild(*plan, options.steps, interrupt,
                         [&](const core::RunnerEvent &event) { progress.show(event); });
}

/// Both loss curves side by side; a line says where they part.
void printLosses(const core::Verification &found)
{
    std::vector<std::vector<std::string>> rows{{"step", found.reference, found.strategy, ""}};
    for (std::size_t i = 0; i < std::min(found.referenceLosses.size(), found.scheduleLosses.size()); ++i) {
        const double a = found.referenceLosses[i];
        const double b = found.scheduleLosses[i];
        char text[2][32];
        std::snprintf(text[0], sizeof text[0], "%.9g", a);
        std::snprintf(text[1], sizeof text[1], "%.9g", b);
        const bool same = std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        rows.push_back({std::to_string(i + 1), text[0], text[1], same ? "" : "differs"});
    }
    std::fputs(table(rows).c_str(), stdout);
}

int runVerify(const Options &options)
{
    const auto found = verify(options);
    if (!found)
        return fail(found.error());
    if (options.json) {
        printJson(toJson(*found));
    } else {
        printLosses(*found);
        std::printf("%s against %s: %lld gradient elements differ (largest difference %g); losses of %d %s %s.\n",
                    found->strategy.c_str(), found->reference.c_str(), static_cast<long long>(found->differingElements),
                    found->maxAbsDiff, found->steps, found->steps == 1 ? "step" : "steps",
                    found->equal() ? "are bit-identical" : "or gradients differ");
    }
    return found->equal() ? exitDone : exitFailed;
}

} // namespace

void addVerifyCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "verify", "Prove that a strategy changes neither gradients nor losses",
                                   "remat verify config.json --strategy recursive --steps 3");
    options->workload.addTo(*command);
    command->add_option("--strategy", options->strategy, "see inspect --strategies")->required();
    command->add_option("--steps", options->steps, "training steps whose losses are compared")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runVerify(*options); }; });
}

} // namespace remat::app
