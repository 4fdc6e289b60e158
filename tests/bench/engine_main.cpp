// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// remat_bench_engine peer CONFIG BATCH STEPS THREADS: the C++ twin of peer_checkpoint.py, same output.
// remat_bench_engine recorder CONFIG BATCH STEPS THREADS: {"off_ns":[…],"on_ns":[…]} of the same plan, interleaved.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "config/config_reader.h"
#include "memory/cpu_account.h"
#include "schedule/strategy.h"
#include "torch_backend.h"
#include "training/torch_workload.h"

using namespace remat;
using core::Json;

namespace {

constexpr int kWarmUp = 2;

template <typename T>
T orExit(core::Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        std::exit(1);
    }
    return std::move(*result);
}

core::StepOutcome stepOrExit(core::PreparedWorkload &workload, const core::Schedule &schedule)
{
    const auto outcome = orExit(workload.step(schedule, {}));
    if (outcome.status != core::RunStatus::done) {
        std::fprintf(stderr, "%s\n", outcome.reason.c_str());
        std::exit(1);
    }
    return outcome;
}

Json runPeer(core::PreparedWorkload &workload, int layers, int steps)
{
    Json result = Json::object();
    gpu::CpuAccount &account = gpu::CpuAccount::instance();
    for (int step = 0; step < steps + kWarmUp; ++step) {
        for (const char *plan :
             {"none", "every:1", "every:2", "segments:2", "segments:3", "segments:4", "sequential:4"}) {
            const core::Schedule schedule = orExit(core::makeSchedule(orExit(core::parseStrategy(plan)), layers));
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

Json runRecorder(core::PreparedWorkload &workload, int layers, int steps)
{
    const core::Schedule schedule = orExit(core::makeSchedule(orExit(core::parseStrategy("every:1")), layers));
    Json result{{"off_ns", Json::array()}, {"on_ns", Json::array()}};
    for (int step = 0; step < steps + kWarmUp; ++step) {
        const auto off = stepOrExit(workload, schedule);
        const auto on = orExit(workload.recordStep(schedule, {}));
        if (step < kWarmUp)
            continue;
        result["off_ns"].push_back(off.split.step);
        result["on_ns"].push_back(on.outcome.split.step);
        result["events"] = on.recording.events.size();
    }
    return result;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: remat_bench_engine peer|recorder CONFIG BATCH STEPS THREADS\n");
        return 2;
    }
    const auto model = orExit(core::readModelConfig(argv[2]));
    core::Workload workload;
    workload.batch = std::atoi(argv[3]);
    workload.threads = std::atoi(argv[5]);
    workload = orExit(core::resolveWorkload(workload, model, workload.threads));
    const auto backend = gpu::makeTorchBackend({core::kEngineAbi, "cpu", workload.threads});
    const auto prepared = orExit(backend->prepare(model, workload));
    const int steps = std::atoi(argv[4]);
    const Json result = std::strcmp(argv[1], "peer") == 0 ? runPeer(*prepared, model.layers, steps)
                                                          : runRecorder(*prepared, model.layers, steps);
    std::printf("%s\n", result.dump().c_str());
    return 0;
}
