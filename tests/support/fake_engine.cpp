// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "measure/engine_entry.h"
#include "support/fake_backend.h"

// A library with the engine's symbol over the fake engine, so that programs can be tested without LibTorch. Variables of
// the environment change its behaviour:
//   REMAT_FAKE_STEP_MS=N     each step sleeps so long
//   REMAT_FAKE_DEAF_MS=N     each step sleeps so long without hearing a request to stop
//   REMAT_FAKE_BUDGET=N      bytes
//   REMAT_FAKE_WRONG=1       gradients differ
//   REMAT_FAKE_KILL=N,FILE   the first step whose schedule repeats N forwards kills the process, once while FILE is absent,
//                            always without FILE
//   REMAT_FAKE_NOISE=1       prints on standard output

namespace {

long number(const char *name)
{
    const char *text = std::getenv(name);
    return text != nullptr ? std::strtol(text, nullptr, 10) : 0;
}

int repeatedForwards(const remat::core::Schedule &schedule)
{
    std::vector<bool> ran(static_cast<std::size_t>(schedule.stages), false);
    int count = 0;
    for (const auto &op : schedule.ops) {
        if (op.kind != remat::core::OpKind::forward && op.kind != remat::core::OpKind::forwardSave)
            continue;
        count += ran[static_cast<std::size_t>(op.stage)] ? 1 : 0;
        ran[static_cast<std::size_t>(op.stage)] = true;
    }
    return count;
}

void dieIfAsked(const remat::core::Schedule &schedule)
{
    const char *text = std::getenv("REMAT_FAKE_KILL");
    if (text == nullptr || repeatedForwards(schedule) != std::strtol(text, nullptr, 10))
        return;
    const std::string all(text);
    const auto comma = all.find(',');
    if (comma != std::string::npos) {
        const std::string file = all.substr(comma + 1);
        if (access(file.c_str(), F_OK) == 0)
            return;
        std::ofstream(file) << "once";
    }
    std::raise(SIGKILL);
}

} // namespace

extern "C" __attribute__((visibility("default"))) remat::core::TrainingBackend *
remat_engine_create(const remat::core::EngineOptions *options, const char **why)
{
    if (options->abi != remat::core::kEngineAbi) {
        *why = "another version";
        return nullptr;
    }
    if (number("REMAT_FAKE_NOISE") != 0)
        std::puts("a library says hello");
    auto behaviour = std::make_shared<remat::tests::FakeBehaviour>();
    behaviour->budget = number("REMAT_FAKE_BUDGET");
    behaviour->wrongGradients = number("REMAT_FAKE_WRONG") != 0;
    behaviour->onStep = [](const remat::core::Schedule &schedule) {
        dieIfAsked(schedule);
        if (number("REMAT_FAKE_NOISE") != 0)
            std::puts("a step");
        std::this_thread::sleep_for(
            std::chrono::milliseconds(number("REMAT_FAKE_STEP_MS") + number("REMAT_FAKE_DEAF_MS")));
    };
    return new remat::tests::FakeBackend(behaviour);
}
