// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "models/limits_model.h"
#include "runner/run_controller.h"

namespace remat::ui {

/// Probes what keeping everything takes with each lever of the limits, and with the setup as it is before and after each, so
/// that a machine that changes its speed changes both sides of a price. In a runner of its own, which ends at once where the
/// limits become others and for a sweep, whose times it would spoil. GUI thread.
class LeverProbe : public QObject
{
    Q_OBJECT
public:
    LeverProbe(LimitsModel &limits, const RunController &runs, QObject *parent = nullptr);
    ~LeverProbe() override;

    void start();
    void stop();
    [[nodiscard]] bool busy() const { return m_link != nullptr; }
    /// Why nothing can be probed now, empty where it can.
    [[nodiscard]] QString obstacle() const;
    /// What is probed now, or what went wrong; one sentence, empty otherwise.
    [[nodiscard]] QString words() const;

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] bool ofLever() const { return m_steps.size() % 2 == 1; }
    [[nodiscard]] const core::Workload &current() const;
    void next();
    void onEvent(const core::RunnerEvent &event);
    void take(core::Nanoseconds step);
    void onEnded(const QString &reason);
    void fail(const QString &problem);
    [[nodiscard]] std::vector<double> factors() const;

    LimitsModel &m_limits;
    const RunController &m_runs;
    std::unique_ptr<RunnerLink> m_link;
    core::ModelConfig m_model;
    std::vector<core::Workload> m_workloads; // the setup's, then the levers'
    std::vector<core::Nanoseconds> m_steps;  // setup, lever, setup, lever, …, setup; 0: the lever cannot be run
    core::Nanoseconds m_step = 0;            // of the one that is being probed, once its costs are here
    QString m_problem;
};

} // namespace remat::ui
