// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"

#include <cstdio>

#include "measure/json_fields.h"

namespace remat::app {

int exitCodeFor(core::ErrorCode code)
{
    switch (code) {
    case core::ErrorCode::usage:
        return exitUsage;
    case core::ErrorCode::refused:
        return exitRefused;
    case core::ErrorCode::doesNotFit:
        return exitDoesNotFit;
    case core::ErrorCode::cancelled:
        return exitCancelled;
    case core::ErrorCode::failed:
        break;
    }
    return exitFailed;
}

int fail(const core::Error &error)
{
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return exitCodeFor(error.code);
}

void printJson(const core::Json &json)
{
    std::printf("%s\n", core::jsonText(json, 2).c_str());
}

CLI::App *addCommand(CLI::App &app, const std::string &name, const std::string &what, const std::string &example)
{
    CLI::App *command = app.add_subcommand(name, what);
    command->footer("Example:\n  " + example);
    return command;
}

} // namespace remat::app
