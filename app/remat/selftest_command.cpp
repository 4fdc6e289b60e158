// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "engine_library.h"
#include "selftest_checks.h"

namespace remat::app {

namespace {

struct Options
{
    std::string device = "cpu";
    int threads = 0;
    bool json = false;
};

int runSelftestCommand(const Options &options)
{
    auto engine = openEngine(options.device, options.threads);
    if (!engine)
        return fail(engine.error());
    const auto tell = [&options](const SelftestResult &result) {
        if (options.json)
            return;
        std::printf("%s  %s: %s\n", result.passed ? "PASS" : "FAIL", result.name.c_str(), result.numbers.c_str());
        std::fflush(stdout);
    };
    const auto results = runSelftest(**engine, options.device, options.threads, tell);
    const bool ok
        = std::all_of(results.begin(), results.end(), [](const SelftestResult &result) { return result.passed; });
    if (options.json) {
        core::Json checks = core::Json::array();
        for (const SelftestResult &result : results)
            checks.push_back({{"name", result.name}, {"passed", result.passed}, {"numbers", result.numbers}});
        printJson({{"ok", ok}, {"device", options.device}, {"checks", std::move(checks)}});
    }
    return ok ? exitDone : exitFailed;
}

} // namespace

void addSelftestCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "selftest", "Check engine, recorder and prediction on this machine",
                                   "remat selftest --device cuda:0 --json");
    command->add_option("--device", options->device, "cpu or cuda:N")->capture_default_str();
    command->add_option("--threads", options->threads, "threads (default: the cores this process may use)")
        ->check(CLI::PositiveNumber);
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runSelftestCommand(*options); }; });
}

} // namespace remat::app
