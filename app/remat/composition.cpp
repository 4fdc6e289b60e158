// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "composition.h"

#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "command.h"

namespace remat::app {

namespace {

/// CLI11 reports several lines; the rule is one sentence: what, where, what to try.
int reportUsage(const CLI::App &app, const CLI::ParseError &error, const std::string &first)
{
    std::string where = "remat";
    if (app.get_subcommands().empty() && !first.empty() && first.front() != '-') {
        std::fprintf(stderr, "remat: there is no subcommand %s; see remat --help.\n", core::quoteText(first).c_str());
        return exitUsage;
    }
    for (const CLI::App *used : app.get_subcommands())
        where += " " + used->get_name();
    std::string what = error.what();
    for (char &c : what) {
        if (c == '\n')
            c = ' ';
    }
    while (!what.empty() && (what.back() == '.' || what.back() == ' '))
        what.pop_back();
    std::fprintf(stderr, "%s: %s; see %s --help.\n", where.c_str(), what.c_str(), where.c_str());
    return exitUsage;
}

void addCommands(CLI::App &app, Action &action)
{
    addDevicesCommand(app, action);
    addInspectCommand(app, action);
    addMeasureCommand(app, action);
    addSweepCommand(app, action);
    addVerifyCommand(app, action);
    addEstimateCommand(app, action);
    addPlanCommand(app, action);
    addSimulateCommand(app, action);
    addShowCommand(app, action);
    addCheckCommand(app, action);
    addExportCommand(app, action);
    addSelftestCommand(app, action);
    addRunnerCommand(app, action);
}

} // namespace

int runRemat(int argc, char **argv)
{
    std::signal(SIGPIPE, SIG_IGN); // a pager or a parent that went away is an error of a write, not a death
    CLI::App app{"Shows what activation checkpointing costs and saves on a real Transformer training step.", "remat"};
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("remat ") + REMAT_VERSION);
    app.footer("Example:\n  remat measure config.json --strategy every:2 --session runs.remat");
    Action action;
    addCommands(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &help) {
        return app.exit(help);
    } catch (const CLI::Success &other) {
        return app.exit(other);
    } catch (const CLI::ParseError &error) {
        return reportUsage(app, error, argc > 1 ? argv[1] : "");
    }
    return action();
}

} // namespace remat::app
