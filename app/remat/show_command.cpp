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
    bool kept = false;
    bool json = false;
};

core::Json keptJson(const std::vector<core::KeptBlock> &blocks, const core::ChainShape &shape)
{
    core::Json list = core::Json::array();
    for (const core::KeptBlock &block : blocks) {
        const int layer = shape.layerOf(block.stage);
        list.push_back({{"layer", layer < 0 ? core::Json(nullptr) : core::Json(layer)},
                        {"stage", block.stage},
                        {"op", block.op},
                        {"operator", block.name},
                        {"category", toString(block.category)},
                        {"bytes", block.bytes},
                        {"count", block.count},
                        {"made_ns", block.made},
                        {"dropped_ns", block.dropped}});
    }
    return list;
}

std::string keptTable(const std::vector<core::KeptBlock> &blocks, const core::ChainShape &shape)
{
    const auto stages = stagesOf(shape);
    std::vector<std::vector<std::string>> rows{
        {"stage", "op", "operator", "category", "each", "blocks", "made at", "dropped at"}};
    core::Bytes sum = 0;
    for (const core::KeptBlock &block : blocks) {
        sum += block.bytes * block.count;
        rows.push_back({stageName(stages, block.stage), block.op, block.name, std::string(toString(block.category)),
                        core::formatBytes(block.bytes), std::to_string(block.count), core::formatDuration(block.made),
                        core::formatDuration(block.dropped)});
    }
    return table(rows) + "kept for the backward of one micro-batch: " + core::formatBytes(sum) + "\n";
}

/// The blocks that one run kept for its backward.
int runShowKept(const Options &options)
{
    if (options.run == 0)
        return fail({core::ErrorCode::usage,
                     "--kept needs a run: add --run ID; `remat show " + options.session + "` lists them."});
    auto session = core::Session::open(options.session);
    const auto blocks
        = session ? session->keptBlocks(options.run) : core::Result<std::vector<core::KeptBlock>>(session.error());
    if (!blocks)
        return fail(blocks.error());
    const auto runs = session->runs();
    const auto workloads = session->workloads();
    if (!runs || !workloads)
        return fail(runs ? workloads.error() : runs.error());
    core::ChainShape shape;
    for (const core::StoredRun &run : *runs)
        for (const core::StoredWorkload &stored : *workloads)
            if (run.point.run == options.run && run.workload == stored.id)
                shape = chainShape(stored.model, stored.workload);
    if (options.json)
        printJson({{"session", options.session}, {"run", options.run}, {"kept", keptJson(*blocks, shape)}});
    else if (blocks->empty())
        std::fprintf(stderr, "Run %lld has no recording, so nothing is known of its blocks.\n",
                     static_cast<long long>(options.run));
    else
        std::fputs(keptTable(*blocks, shape).c_str(), stdout);
    return exitDone;
}

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
    command->add_flag("--kept", options->kept, "the blocks that the run kept for its backward");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] {
        action = [options] { return options->kept ? runShowKept(*options) : runShow(*options); };
    });
}

} // namespace remat::app
