// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A program that speaks the runner protocol and behaves as its first argument says:
//   normal   measures every strategy of the request at once and stores it
//   slow     the same with pauses, heeds cancel between strategies
//   deaf     accepts and then neither measures nor heeds anything but the end of the process
//   die      ends with SIGKILL after the first point
//   garbage  speaks nonsense between its messages
//   error    refuses the sweep, or the probe, with a sentence
//   tight    micro-batches do not fit into what is probed
// A second argument names a file in which it writes its process id.

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include <unistd.h>

#include "measure/runner_message.h"
#include "store/session_writer.h"
#include "ui/support/sample_session.h"

namespace {

using namespace remat;

std::atomic<bool> g_cancelled = false;

void say(const core::RunnerEvent &event)
{
    std::cout << core::encode(event) << std::endl;
}

core::RunnerEvent eventOf(core::RunnerEvent::Kind kind, std::int64_t id)
{
    core::RunnerEvent event;
    event.kind = kind;
    event.id = id;
    return event;
}

void tellProgress(const core::RunnerRequest &request, int run)
{
    auto event = eventOf(core::RunnerEvent::Kind::progress, request.id);
    event.progress.phase = "timing";
    event.progress.strategy = request.plan.strategies[static_cast<std::size_t>(run)].text;
    event.progress.runs = static_cast<int>(request.plan.strategies.size());
    event.progress.step = event.progress.run = run;
    event.progress.steps = event.progress.runs;
    event.progress.remaining = 2'000'000'000;
    say(event);
}

core::FinishedRun finishedRun(const core::Strategy &strategy, int layers, std::int64_t id)
{
    core::FinishedRun run;
    run.point = tests::samplePoint(strategy.text, layers, id);
    run.schedule = *core::makeSchedule(strategy, layers);
    run.recording = tests::sampleRecording(strategy.text, layers);
    return run;
}

int refuse(std::int64_t id, const core::Error &error)
{
    auto event = eventOf(core::RunnerEvent::Kind::error, id);
    event.error = error;
    say(event);
    return 0;
}

int sweep(const core::RunnerRequest &request, const std::string &mode)
{
    say(eventOf(core::RunnerEvent::Kind::accepted, request.id));
    if (mode == "deaf")
        std::this_thread::sleep_for(std::chrono::seconds(60));
    if (mode == "error")
        return refuse(request.id, {core::ErrorCode::refused, "The device is on holiday."});
    auto writer = core::SessionWriter::open(request.session);
    if (!writer)
        return refuse(request.id, writer.error());
    if (auto begun = (*writer)->beginSweep(request.plan); !begun)
        return refuse(request.id, begun.error());
    const int layers = request.plan.model.layers;
    auto costs = eventOf(core::RunnerEvent::Kind::costs, request.id);
    costs.costs = tests::sampleCosts(layers);
    if (auto stored = (*writer)->costs(costs.costs); !stored)
        return refuse(request.id, stored.error());
    say(costs);
    for (int i = 0; i < static_cast<int>(request.plan.strategies.size()) && !g_cancelled; ++i) {
        if (mode == "garbage")
            std::cout << "{\"v\":1,\"event\":\"?\"}\n\x01\xff not even text\n" << std::endl;
        tellProgress(request, i);
        core::FinishedRun run = finishedRun(request.plan.strategies[static_cast<std::size_t>(i)], layers, 0);
        core::Point running = run.point;
        running.status = core::RunStatus::running;
        auto id = (*writer)->started(running, run.schedule);
        if (!id)
            return refuse(request.id, id.error());
        auto point = eventOf(core::RunnerEvent::Kind::point, request.id);
        running.run = run.point.run = *id;
        point.point = running;
        say(point);
        if (mode == "slow")
            std::this_thread::sleep_for(std::chrono::milliseconds(250));
        if (mode == "die" && i == 1)
            raise(SIGKILL);
        if (auto stored = (*writer)->finished(run); !stored)
            return refuse(request.id, stored.error());
        point.point = run.point;
        say(point);
    }
    writer->reset();
    auto done = eventOf(core::RunnerEvent::Kind::done, request.id);
    done.status = g_cancelled ? "cancelled" : "done";
    say(done);
    return 0;
}

/// Costs whose step is longer the more parts the loss has.
int probe(const core::RunnerRequest &request, const std::string &mode)
{
    say(eventOf(core::RunnerEvent::Kind::accepted, request.id));
    if (mode == "error")
        return refuse(request.id, {core::ErrorCode::refused, "The device is on holiday."});
    if (mode == "die")
        raise(SIGKILL);
    if (mode == "slow")
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
    if (mode == "tight" && request.plan.workload.microBatches > 1)
        return refuse(request.id, {core::ErrorCode::doesNotFit, "Not even one block fits."});
    auto costs = eventOf(core::RunnerEvent::Kind::costs, request.id);
    costs.costs = tests::sampleCosts(request.plan.model.layers);
    costs.costs.loss.ns *= 1 + request.plan.workload.lossChunks;
    say(costs);
    auto done = eventOf(core::RunnerEvent::Kind::done, request.id);
    done.status = "done";
    say(done);
    return 0;
}

void listDevices(std::int64_t id)
{
    auto event = eventOf(core::RunnerEvent::Kind::devices, id);
    event.devices = {{"cpu", "A processor", 1 << 30, 1 << 29, true, {}},
                     {"cuda:0", "A card", 0, 0, false, "Its driver is not installed."}};
    say(event);
}

} // namespace

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "normal";
    if (argc > 2)
        std::ofstream(argv[2]) << getpid();
    std::signal(SIGTERM, mode == "deaf" ? SIG_IGN : SIG_DFL);
    std::thread worker;
    std::string line;
    while (std::getline(std::cin, line)) {
        auto request = core::decodeRequest(line);
        if (!request)
            continue;
        if (request->command == core::RunnerRequest::Command::quit)
            break;
        if (request->command == core::RunnerRequest::Command::cancel)
            g_cancelled = true;
        if (request->command == core::RunnerRequest::Command::devices)
            listDevices(request->id);
        if (request->command == core::RunnerRequest::Command::probe)
            (void)probe(*request, mode);
        if (request->command == core::RunnerRequest::Command::sweep)
            worker = std::thread([request = *request, mode] { (void)sweep(request, mode); });
    }
    g_cancelled = true;
    if (worker.joinable())
        worker.join();
    return 0;
}
