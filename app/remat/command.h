// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "base/result.h"

namespace remat::app {

/// Exit codes of the command line; scripts rely on them.
enum ExitCode { exitDone = 0, exitFailed = 1, exitUsage = 2, exitRefused = 3, exitDoesNotFit = 4, exitCancelled = 130 };

[[nodiscard]] int exitCodeFor(core::ErrorCode code);

/// Prints the sentence on stderr and returns the code of its kind.
int fail(const core::Error &error);

/// One document on stdout.
void printJson(const core::Json &json);

/// The subcommand that was chosen on the command line; the commands' parsers set it, main runs it.
using Action = std::function<int()>;

// One function per subcommand: adds its parser to `app`, whose callback sets `action`.
void addDevicesCommand(CLI::App &app, Action &action);
void addInspectCommand(CLI::App &app, Action &action);
void addMeasureCommand(CLI::App &app, Action &action);
void addSweepCommand(CLI::App &app, Action &action);
void addVerifyCommand(CLI::App &app, Action &action);
void addEstimateCommand(CLI::App &app, Action &action);
void addPlanCommand(CLI::App &app, Action &action);
void addSimulateCommand(CLI::App &app, Action &action);
void addShowCommand(CLI::App &app, Action &action);
void addCheckCommand(CLI::App &app, Action &action);
void addExportCommand(CLI::App &app, Action &action);
void addSelftestCommand(CLI::App &app, Action &action);
void addRunnerCommand(CLI::App &app, Action &action);

/// Makes a subcommand with its example under --help.
CLI::App *addCommand(CLI::App &app, const std::string &name, const std::string &what, const std::string &example);

} // namespace remat::app
