// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include "bench/bench.h"
#include "measure/statistics.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"
#include "store/session.h"
#include "store/session_writer.h"

using namespace remat;
using namespace remat::core;

namespace {

constexpr int kLayers = 96;
constexpr std::size_t kEvents = 1'000'000;

ChainCosts costs()
{
    StageCost stage;
    stage.output = 1 << 20;
    stage.options[""] = {};
    stage.options[""].saved = 9 << 20;
    ChainCosts chain;
    chain.stages.assign(2 * kLayers + 2, stage);
    return chain;
}

/// A step of a million events over 96 layers, with the irregular sizes and times of a real one.
Recording bigRecording()
{
    std::mt19937_64 random(7);
    Recording recording;
    recording.names = {"", "aten::linear"};
    const std::size_t ops = 4 * kLayers;
    for (std::size_t i = 0; i < ops; ++i) {
        OpRecord op;
        op.code = "E" + std::to_string(i % (2 * kLayers + 2));
        op.stage = static_cast<int>(i % (2 * kLayers + 2));
        recording.ops.push_back(op);
    }
    Nanoseconds now = 0;
    for (std::size_t i = 0; i < kEvents; i += 2) {
        MemoryEvent event;
        event.ns = now += static_cast<Nanoseconds>(random() % 3000);
        event.bytes = static_cast<Bytes>(random() % (1 << 20));
        event.block = static_cast<std::uint32_t>(i / 2);
        event.op = static_cast<std::uint32_t>(i * ops / kEvents);
        event.category = static_cast<Category>(6 + random() % 7);
        recording.events.push_back(event);
        event.ns = now += static_cast<Nanoseconds>(random() % 3000);
        event.bytes = -event.bytes;
        recording.events.push_back(event);
    }
    return recording;
}

SweepPlan plan()
{
    SweepPlan sweep;
    sweep.model.name = "bench";
    sweep.model.layers = kLayers;
    sweep.model.width = sweep.model.heads = sweep.model.kvHeads = sweep.model.headSize = 8;
    sweep.model.ffnWidth = sweep.model.vocabulary = sweep.model.positions = 8;
    sweep.workload = bench::orExit(resolveWorkload({}, sweep.model, 1));
    sweep.strategies = {bench::orExit(parseStrategy("none"))};
    return sweep;
}

} // namespace

int benchCore(bool json)
{
    std::vector<bench::Row> rows;
    const Strategy recursive = bench::orExit(parseStrategy("recursive"));
    const Schedule schedule = bench::orExit(makeSchedule(recursive, kLayers));
    const ChainCosts chain = costs();
    rows.push_back(bench::timed("strategy recursive, 96 layers", 50,
                                [&] { static_cast<void>(makeSchedule(recursive, kLayers)); }));
    rows.push_back(
        bench::timed("simulator, recursive, 96 layers", 50, [&] { static_cast<void>(simulate(schedule, chain)); }));
    const std::string file = (std::filesystem::temp_directory_path() / "remat_bench.remat").string();
    std::filesystem::remove(file);
    FinishedRun run;
    run.schedule = bench::orExit(makeSchedule(bench::orExit(parseStrategy("none")), kLayers));
    run.recording = bigRecording();
    run.point.strategy = "none";
    run.point.status = RunStatus::done;
    {
        auto writer = bench::orExit(SessionWriter::open(file));
        static_cast<void>(bench::orExit(writer->beginSweep(plan())));
        rows.push_back(bench::timed("session: write 1 M events", 3, [&] {
            run.point.run = bench::orExit(writer->started(run.point, run.schedule));
            if (auto stored = writer->finished(run); !stored)
                std::fprintf(stderr, "%s\n", stored.error().message.c_str());
        }));
    }
    const auto bytes = static_cast<Bytes>(std::filesystem::file_size(file));
    rows.back().note = formatBytes(bytes / 3) + " a run";
    const Session session = bench::orExit(Session::open(file));
    std::size_t events = 0;
    rows.push_back(bench::timed("session: read 1 M events", 5,
                                [&] { events = bench::orExit(session.recording(run.point.run)).events.size(); }));
    rows.back().note = std::to_string(events) + " events";
    bench::print(rows, json);
    std::filesystem::remove(file);
    return events == kEvents ? 0 : 1;
}

int benchRecorder(bool json)
{
    const auto text = bench::outputOf({bench::ownFolder() + "remat_bench_engine", "recorder", REMAT_PEER_MODES, "gpt",
                                       "15", std::to_string(std::max(1U, std::thread::hardware_concurrency()))});
    if (!text) {
        std::fprintf(stderr, "%s\n", text.error().message.c_str());
        return 1;
    }
    const Json result = bench::orExit(parseJson(*text, "remat_bench_engine"));
    const auto summary = [&](const char *key) { return summarise(result[key].get<std::vector<Nanoseconds>>()); };
    bench::Row off{"step, recorder off", summary("off_ns"), {}};
    bench::Row on{"step, recorder on", summary("on_ns"), {}};
    char note[80];
    std::snprintf(note, sizeof note, "ratio %.4f, %lld events",
                  static_cast<double>(on.time.median) / static_cast<double>(off.time.median),
                  static_cast<long long>(result["events"].get<std::int64_t>()));
    on.note = note;
    bench::print({off, on}, json);
    return 0;
}
