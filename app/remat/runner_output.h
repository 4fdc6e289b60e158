// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "measure/run_observer.h"
#include "measure/runner_message.h"
#include "store/session_writer.h"

namespace remat::app {

/// The runner's way to its parent: whole lines on what was standard output when it started; what libraries print there
/// later goes to standard error. Any thread. Beats every second.
class RunnerOutput
{
public:
    RunnerOutput();

    void send(const core::RunnerEvent &event);
    /// The request whose id heartbeats carry.
    void setCurrent(std::int64_t id) { m_current = id; }
    /// False once the parent no longer reads.
    [[nodiscard]] bool connected() const { return m_connected; }

private:
    void beat(const std::stop_token &stop);

    std::mutex m_mutex;
    int m_descriptor = -1;
    std::atomic<bool> m_connected{true};
    std::atomic<std::int64_t> m_current{0};
    std::jthread m_heart; // last: it uses the members above
};

/// Hears of a sweep for the parent and, where a session was named, for the writer. At most 20 progress lines a second.
/// The sweep's thread.
class RunnerObserver final : public core::RunObserver
{
public:
    RunnerObserver(RunnerOutput &output, std::int64_t request, core::SessionWriter *writer);

    void progress(const core::Progress &progress) override;
    core::Result<void> costs(const core::ChainCosts &costs) override;
    core::Result<std::int64_t> started(const core::Point &point, const core::Schedule &schedule) override;
    core::Result<void> finished(const core::FinishedRun &run) override;

private:
    void sendPoint(const core::Point &point);

    RunnerOutput &m_output;
    std::int64_t m_request;
    core::SessionWriter *m_writer;
    std::int64_t m_runs = 0;
    std::chrono::steady_clock::time_point m_lastProgress{};
    std::string m_lastPhase;
};

} // namespace remat::app
