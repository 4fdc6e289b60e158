// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <condition_variable>
#include <deque>
#include <iostream>
#include <optional>

#include <unistd.h>

#include "command.h"
#include "engine_library.h"
#include "runner_output.h"

namespace remat::app {

namespace {

using core::Error;
using core::Result;
using core::RunnerEvent;
using core::RunnerRequest;

constexpr auto kLastWords = std::chrono::milliseconds(2500);

/// Reads requests on a thread of its own, so that a cancel reaches a step that is running. Everything else waits in a
/// queue for the main thread, the only one that may call the engine.
class RequestQueue
{
public:
    explicit RequestQueue(RunnerOutput &output) : m_output(output), m_reader([this] { readLines(); })
    {
        m_reader.detach(); // it blocks in a read that nothing can end
    }

    /// The next request and the token that cancels it; nothing after the end of the input or a quit.
    std::optional<std::pair<RunnerRequest, std::stop_token>> next()
    {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return m_ended || !m_requests.empty(); });
        if (m_ended)
            return std::nullopt;
        RunnerRequest request = std::move(m_requests.front());
        m_requests.pop_front();
        m_stop = std::stop_source();
        return std::pair(std::move(request), m_stop.get_token());
    }

private:
    void readLines()
    {
        std::string line;
        while (std::getline(std::cin, line)) {
            auto request = core::decodeRequest(line);
            if (!request)
                sendError(request.error());
            else if (!take(std::move(*request)))
                return;
        }
        end();
        // The parent is gone: a step that does not hear the request to stop must not keep the machine busy.
        std::this_thread::sleep_for(kLastWords);
        _exit(exitCancelled);
    }

    bool take(RunnerRequest request)
    {
        if (request.command == RunnerRequest::Command::quit) {
            end();
            return false;
        }
        const std::lock_guard lock(m_mutex);
        if (request.command == RunnerRequest::Command::cancel) {
            m_stop.request_stop();
            for (const RunnerRequest &waiting : m_requests)
                sendCancelled(waiting.id);
            m_requests.clear();
            return true;
        }
        m_requests.push_back(std::move(request));
        m_wake.notify_one();
        return true;
    }

    void end()
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
        m_stop.request_stop();
        m_wake.notify_one();
    }

    void sendCancelled(std::int64_t id)
    {
        RunnerEvent event;
        event.id = id;
        event.kind = RunnerEvent::Kind::done;
        event.status = "cancelled";
        m_output.send(event);
    }

    void sendError(const Error &error)
    {
        RunnerEvent event;
        event.kind = RunnerEvent::Kind::error;
        event.error = error;
        m_output.send(event);
    }

    RunnerOutput &m_output;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<RunnerRequest> m_requests;
    std::stop_source m_stop;
    bool m_ended = false;
    std::thread m_reader;
};

/// Works on one request after the other; owns the engine. Main thread.
class Runner
{
public:
    explicit Runner(RunnerOutput &output) : m_output(output) { }

    void work(const RunnerRequest &request, const std::stop_token &stop)
    {
        m_output.setCurrent(request.id);
        send(request, RunnerEvent::Kind::accepted);
        const auto done = run(request, stop);
        RunnerEvent event;
        event.id = request.id;
        if (!done && done.error().code != core::ErrorCode::cancelled) {
            event.kind = RunnerEvent::Kind::error;
            event.error = done.error();
        } else {
            event.kind = RunnerEvent::Kind::done;
            event.status = !done || stop.stop_requested() ? "cancelled" : "done";
        }
        m_output.send(event);
        m_output.setCurrent(0);
    }

private:
    void send(const RunnerRequest &request, RunnerEvent::Kind kind)
    {
        RunnerEvent event;
        event.id = request.id;
        event.kind = kind;
        m_output.send(event);
    }

    Result<core::TrainingBackend *> engine(const std::string &device, int threads)
    {
        if (m_engine == nullptr) {
            auto opened = openEngine(device, threads);
            if (!opened)
                return opened.error();
            m_engine = std::move(*opened);
        }
        return m_engine.get();
    }

    Result<void> run(const RunnerRequest &request, const std::stop_token &stop)
    {
        const core::Workload &workload = request.plan.workload;
        const bool lists = request.command == RunnerRequest::Command::devices;
        // CUDA is looked for where devices are listed; "cpu" would leave it closed for good.
        auto backend = lists ? engine("cuda:0", 0) : engine(workload.device, workload.threads);
        if (!backend)
            return backend.error();
        switch (request.command) {
        case RunnerRequest::Command::devices:
            return listDevices(request, **backend);
        case RunnerRequest::Command::probe:
            return probe(request, **backend, stop);
        case RunnerRequest::Command::sweep:
            return sweep(request, **backend, stop);
        case RunnerRequest::Command::verify:
            return verify(request, **backend, stop);
        default:
            return {};
        }
    }

    Result<void> listDevices(const RunnerRequest &request, core::TrainingBackend &backend)
    {
        RunnerEvent event;
        event.id = request.id;
        event.kind = RunnerEvent::Kind::devices;
        event.devices = backend.devices();
        m_output.send(event);
        return {};
    }

    /// The session's writer, with the plan begun; null where nothing is stored.
    static Result<std::unique_ptr<core::SessionWriter>> writerFor(const RunnerRequest &request)
    {
        if (request.session.empty())
            return std::unique_ptr<core::SessionWriter>();
        auto writer = core::SessionWriter::open(request.session);
        if (!writer)
            return writer.error();
        if (auto begun = (*writer)->beginSweep(request.plan); !begun)
            return begun.error();
        return writer;
    }

    Result<void> probe(const RunnerRequest &request, core::TrainingBackend &backend, const std::stop_token &stop)
    {
        auto writer = writerFor(request);
        if (!writer)
            return writer.error();
        const auto options = core::optionsOf(request.plan);
        if (!options)
            return options.error();
        auto costs = backend.probe(request.plan.model, request.plan.workload, *options, stop);
        if (!costs)
            return costs.error();
        return RunnerObserver(m_output, request.id, writer->get()).costs(*costs);
    }

    Result<void> sweep(const RunnerRequest &request, core::TrainingBackend &backend, const std::stop_token &stop)
    {
        auto writer = writerFor(request);
        if (!writer)
            return writer.error();
        RunnerObserver observer(m_output, request.id, writer->get());
        auto points = core::runSweep(request.plan, backend, observer, stop);
        return points ? Result<void>() : points.error();
    }

    Result<void> verify(const RunnerRequest &request, core::TrainingBackend &backend, const std::stop_token &stop)
    {
        RunnerObserver observer(m_output, request.id, nullptr);
        const auto tell = [&observer](const core::Progress &progress) { observer.progress(progress); };
        auto found = core::verifySchedule(request.plan, request.steps, backend, tell, stop);
        if (!found)
            return found.error();
        RunnerEvent event;
        event.id = request.id;
        event.kind = RunnerEvent::Kind::verified;
        event.verification = std::move(*found);
        m_output.send(event);
        return {};
    }

    RunnerOutput &m_output;
    std::unique_ptr<core::TrainingBackend> m_engine;
};

int runRunner()
{
    RunnerOutput output;
    // Never destroyed: the reading thread uses it until the process ends.
    auto *requests = new RequestQueue(output);
    Runner runner(output);
    while (auto request = requests->next())
        runner.work(request->first, request->second);
    std::fflush(nullptr);
    _exit(exitDone); // the reading thread may still sit in its read
}

} // namespace

void addRunnerCommand(CLI::App &app, Action &action)
{
    CLI::App *command
        = addCommand(app, "runner", "Measure on request: one JSON object a line on standard input and output",
                     R"(echo '{"v":1,"id":1,"cmd":"devices"}' | remat runner)");
    command->callback([&action] { action = runRunner; });
}

} // namespace remat::app
