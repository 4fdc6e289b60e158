// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "runner_output.h"

#include <cerrno>
#include <condition_variable>

#include <fcntl.h>
#include <unistd.h>

namespace remat::app {

using core::RunnerEvent;

namespace {

constexpr auto kHeartbeat = std::chrono::seconds(1);
constexpr auto kProgressPause = std::chrono::milliseconds(50);

} // namespace

RunnerOutput::RunnerOutput() : m_descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    m_heart = std::jthread([this](const std::stop_token &stop) { beat(stop); });
}

void RunnerOutput::send(const RunnerEvent &event)
{
    const std::string line = core::encode(event) + "\n";
    const std::lock_guard lock(m_mutex);
    std::size_t sent = 0;
    while (sent < line.size()) {
        const ssize_t wrote = write(m_descriptor, line.data() + sent, line.size() - sent);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            m_connected = false;
            return;
        }
        sent += static_cast<std::size_t>(wrote);
    }
}

void RunnerOutput::beat(const std::stop_token &stop)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, kHeartbeat, [&stop] { return stop.stop_requested(); })) {
        RunnerEvent event;
        event.kind = RunnerEvent::Kind::heartbeat;
        event.id = m_current;
        send(event);
    }
}

RunnerObserver::RunnerObserver(RunnerOutput &output, std::int64_t request, core::SessionWriter *writer)
    : m_output(output), m_request(request), m_writer(writer)
{
}

void RunnerObserver::progress(const core::Progress &progress)
{
    // A new phase or strategy always goes out: where the runner dies, its parent knows what it was doing.
    const auto now = std::chrono::steady_clock::now();
    const std::string phase = progress.phase + progress.strategy;
    if (phase == m_lastPhase && now - m_lastProgress < kProgressPause)
        return;
    m_lastPhase = phase;
    m_lastProgress = now;
    RunnerEvent event;
    event.id = m_request;
    event.kind = RunnerEvent::Kind::progress;
    event.progress = progress;
    m_output.send(event);
}

core::Result<void> RunnerObserver::costs(const core::ChainCosts &costs)
{
    if (m_writer != nullptr) {
        if (auto stored = m_writer->costs(costs); !stored)
            return stored;
    }
    RunnerEvent event;
    event.id = m_request;
    event.kind = RunnerEvent::Kind::costs;
    event.costs = costs;
    m_output.send(event);
    return {};
}

core::Result<std::int64_t> RunnerObserver::started(const core::Point &point, const core::Schedule &schedule)
{
    core::Point running = point;
    running.run = ++m_runs;
    if (m_writer != nullptr) {
        auto stored = m_writer->started(point, schedule);
        if (!stored)
            return stored.error();
        running.run = *stored;
    }
    sendPoint(running);
    return running.run;
}

core::Result<void> RunnerObserver::finished(const core::FinishedRun &run)
{
    if (m_writer != nullptr) {
        if (auto stored = m_writer->finished(run); !stored)
            return stored;
    }
    sendPoint(run.point);
    return {};
}

void RunnerObserver::sendPoint(const core::Point &point)
{
    RunnerEvent event;
    event.id = m_request;
    event.kind = RunnerEvent::Kind::point;
    event.point = point;
    m_output.send(event);
}

} // namespace remat::app
