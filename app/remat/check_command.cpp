// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>

#include "command.h"
#include "store/session.h"

namespace remat::app {

namespace {

int runCheck(const std::string &path, bool json)
{
    const auto check = core::Session::check(path);
    if (!check)
        return fail(check.error());
    if (json) {
        printJson({{"ok", check->ok}, {"schema", check->schema}, {"runs", check->runs}, {"problems", check->problems}});
    } else {
        for (const std::string &problem : check->problems)
            std::printf("%s\n", problem.c_str());
        if (check->ok)
            std::printf("The session is whole: version %d, %d runs.\n", check->schema, check->runs);
    }
    return check->ok ? exitDone : exitFailed;
}

} // namespace

void addCheckCommand(CLI::App &app, Action &action)
{
    struct Options
    {
        std::string session;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "check", "Look for damage in a session", "remat check runs.remat");
    command->add_option("SESSION", options->session, "session file")->required();
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runCheck(options->session, options->json); }; });
}

} // namespace remat::app
