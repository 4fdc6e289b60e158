// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "point_table.h"
#include "report/json_writer.h"
#include "store/session.h"

namespace remat::app {

namespace {

struct Options
{
    std::string session;
    std::int64_t run = 0;
    bool json = false;
};

core::Result<std::vector<core::StoredRun>> chosenRuns(const Options &options, std::string &note)
{
    auto session = core::Session::open(options.session);
    if (!session)
        return session.error();
    note = session->writableNote();
    auto runs = session->runs();
    if (!runs || options.run == 0)
        return runs;
    std::erase_if(*runs, [&](const core::StoredRun &stored) { return stored.point.run != options.run; });
    if (runs->empty())
        return core::Error{core::ErrorCode::usage,
                           "The session has no run " + std::to_string(options.run) + "; `remat show " + options.session
                               + "` lists them."};
    return runs;
}

int runShow(const Options &options)
{
    std::string note;
    const auto runs = chosenRuns(options, note);
    if (!runs)
        return fail(runs.error());
    std::vector<core::Point> points;
    core::Json list = core::Json::array();
    for (const core::StoredRun &stored : *runs) {
        // A hidden run is deleted as far as people are concerned; by its number it can still be seen.
        if (stored.hidden && options.run == 0)
            continue;
        points.push_back(stored.point);
        list.push_back(core::storedRunJson(stored));
    }
    if (options.json) {
        printJson({{"session", options.session},
                   {"note", note.empty() ? core::Json(nullptr) : core::Json(note)},
                   {"points", std::move(list)}});
        return exitDone;
    }
    if (!note.empty())
        std::fprintf(stderr, "%s\n", note.c_str());
    std::fputs(options.run != 0 ? pointDetails(points.front()).c_str() : pointTable(points).c_str(), stdout);
    return exitDone;
}

} // namespace

void addShowCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "show", "Show the points of a session", "remat show runs.remat --run 3");
    command->add_option("SESSION", options->session, "session file")->required();
    command->add_option("--run", options->run, "one run, in full")->check(CLI::PositiveNumber);
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runShow(*options); }; });
}

} // namespace remat::app
