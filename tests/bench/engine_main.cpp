// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// remat_bench_engine peer MODES MODE STEPS THREADS: the C++ twin of peer_checkpoint.py, same output.
// remat_bench_engine recorder MODES MODE STEPS THREADS: {"off_ns":[…],"on_ns":[…]} of every:1, interleaved.
// remat_bench_engine times MODES MODE ROUNDS THREADS: predicted and measured steps side by side, see pairedTimes().
// remat_bench_engine soak MODES MODE RUNS THREADS: memory of the process after a tenth of the recorded runs and after all.

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/bench.h"
#include "bench/engine_bench.h"
#include "config/config_reader.h"
#include "gpu/support/soak.h"
#include "memory/cpu_account.h"
#include "schedule/strategy.h"
#include "torch_backend.h"
#include "training/torch_workload.h"

using namespace remat;
using bench::Mode;
using bench::stepOrExit;
using core::Json;

core::StepOutcome bench::stepOrExit(core::PreparedWorkload &workload, const core::Schedule &schedule)
{
    const auto outcome = bench::orExit(workload.step(schedule, {}));
    if (outcome.status != core::RunStatus::done)
        exitWith(outcome.reason);
    return outcome;
}

namespace {

constexpr int kWarmUp = 2;

core::Schedule scheduleOf(const std::string &plan, const core::ChainShape &shape)
{
    return bench::orExit(core::makeSchedule(bench::orExit(core::parseStrategy(plan)), shape));
}

Json runPeer(core::PreparedWorkload &workload, const Mode &mode, int steps)
{
    Json result = Json::object();
    gpu::CpuAccount &account = gpu::CpuAccount::instance();
    for (int step = 0; step < steps + kWarmUp; ++step) {
        for (const std::string &plan : mode.plans) {
            const core::Schedule schedule = scheduleOf(plan, core::chainShape(mode.model, mode.workload));
            const core::Bytes start = account.held();
            account.startRecording(nullptr);
            const auto outcome = stepOrExit(workload, schedule);
            if (step < kWarmUp)
                continue;
            result[plan]["peak"] = account.peak() - start;
            result[plan]["ns"].push_back(outcome.split.step);
        }
    }
    return result;
}

Json runRecorder(core::PreparedWorkload &workload, const Mode &mode, int steps)
{
    const core::Schedule schedule = scheduleOf("every:1", core::chainShape(mode.model, mode.workload));
    Json result{{"off_ns", Json::array()}, {"on_ns", Json::array()}};
    for (int step = 0; step < steps + kWarmUp; ++step) {
        const auto off = stepOrExit(workload, schedule);
        const auto on = bench::orExit(workload.recordStep(schedule, {}));
        if (step < kWarmUp)
            continue;
        result["off_ns"].push_back(off.split.step);
        result["on_ns"].push_back(on.outcome.split.step);
        result["events"] = on.recording.events.size();
    }
    return result;
}

/// Many short runs in one process.
Json runSoak(core::PreparedWorkload &workload, const Mode &mode, int runs)
{
    const auto result = tests::soak(runs, [&](int run) {
        const std::string &plan = mode.plans[static_cast<std::size_t>(run) % mode.plans.size()];
        const auto recorded
            = bench::orExit(workload.recordStep(scheduleOf(plan, core::chainShape(mode.model, mode.workload)), {}));
        if (recorded.outcome.status != core::RunStatus::done)
            std::exit(1);
    });
    const auto json = [](const tests::Footprint &at) { return Json{{"held", at.held}, {"resident", at.resident}}; };
    return {{"early", json(result.early)}, {"late", json(result.late)}};
}

core::ModelConfig modelOf(const std::string &config)
{
    for (const char *folder : {REMAT_BENCH_CONFIGS, REMAT_EXAMPLE_CONFIGS}) {
        const std::string path = std::string(folder) + "/" + config;
        if (std::ifstream(path))
            return bench::orExit(core::readModelConfig(path));
    }
    bench::exitWith("no config " + config);
}

Mode readMode(const char *path, const std::string &name, int threads)
{
    std::ifstream file(path);
    const Json modes = Json::parse(file);
    for (const Json &entry : modes) {
        if (entry["mode"] != name)
            continue;
        Mode mode;
        mode.model = modelOf(entry["config"]);
        mode.plans = entry["plans"].get<std::vector<std::string>>();
        core::Workload &workload = mode.workload;
        workload.batch = entry["batch"];
        workload.seq = entry["seq"];
        workload.microBatches = entry.value("micro_batches", 1);
        workload.dtype = bench::orExit(core::dtypeFrom(entry.value("dtype", "fp32")));
        workload.attentionDropout = entry.value("attention_dropout", -1.0);
        workload.attention = bench::orExit(core::attentionFrom(entry.value("attention", "sdpa")));
        bench::orExit(core::parseTrain(entry.value("train", "all"), workload));
        bench::orExit(core::parseLoss(entry.value("loss", "full"), workload));
        workload.threads = threads;
        workload = bench::orExit(core::resolveWorkload(workload, mode.model, threads));
        return mode;
    }
    bench::exitWith("no mode " + name + " in " + path);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: remat_bench_engine peer|recorder|soak|times MODES MODE STEPS THREADS\n");
        return 2;
    }
    const int steps = std::atoi(argv[4]);
    const Mode mode = readMode(argv[2], argv[3], std::atoi(argv[5]));
    const auto backend = gpu::makeTorchBackend({core::kEngineAbi, "cpu", mode.workload.threads});
    const std::string what = argv[1];
    Json result;
    if (what == "times") {
        result = bench::pairedTimes(*backend, mode, steps);
    } else {
        const auto prepared = bench::orExit(backend->prepare(mode.model, mode.workload));
        result = what == "peer" ? runPeer(*prepared, mode, steps)
            : what == "soak"    ? runSoak(*prepared, mode, steps)
                                : runRecorder(*prepared, mode, steps);
    }
    std::printf("%s\n", result.dump().c_str());
    return 0;
}
