// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QObject>

#include "runner/runner_link.h"

namespace remat::ui {

/// Measures: starts a runner for each sweep, turns its events into signals, stops it. A runner that dies leaves no run
/// that looks as if it were still going. One sweep at a time; GUI thread.
class RunController : public QObject
{
    Q_OBJECT
public:
    enum class State { idle, starting, running, cancelling };

    explicit RunController(RunnerCommand command, QObject *parent = nullptr);
    ~RunController() override;

    /// False where there is no runner to start: sessions can still be read.
    [[nodiscard]] bool available() const;
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool busy() const { return m_state != State::idle; }
    [[nodiscard]] const RunnerCommand &command() const { return m_command; }
    [[nodiscard]] const core::Progress &progress() const { return m_progress; }

    void measure(const core::SweepPlan &plan, const QString &session);
    void cancel();

Q_SIGNALS:
    void stateChanged();
    void accepted();
    void progressed();
    void pointArrived(const remat::core::Point &point);
    void costsArrived(const remat::core::ChainCosts &costs);
    /// The sweep is over: "done" or "cancelled".
    void finished(const QString &status);
    /// The sweep could not go on; one sentence.
    void failed(const QString &message);
    /// Something odd that does not end the sweep.
    void noted(const QString &message);

private:
    void setState(State state);
    void onEvent(const core::RunnerEvent &event);
    void onEnded(const QString &reason);
    void release();

    RunnerCommand m_command;
    std::unique_ptr<RunnerLink> m_link;
    core::Progress m_progress;
    QString m_session;
    State m_state = State::idle;
};

/// Asks a runner of its own which devices there are; deletes itself after the answer. Nothing is heard on failure.
void askForDevices(const RunnerCommand &command, QObject *context,
                   std::function<void(std::vector<core::DeviceInfo>)> answer);

} // namespace remat::ui
