// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "models/limits_model.h"
#include "run_controller.h"

namespace remat::ui {

/// Probes what keeping everything takes with the setup and with each of its levers, one after the other in a runner of its
/// own, and hands the times to the limits. Stops where the limits become others, and for a sweep, whose times it would
/// spoil. GUI thread.
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
    void next();
    void onEvent(const core::RunnerEvent &event);
    void end(const QString &problem);

    LimitsModel &m_limits;
    const RunController &m_runs;
    std::unique_ptr<RunnerLink> m_link;
    core::ModelConfig m_model;
    std::vector<core::Workload> m_workloads; // the setup's, then the levers'
    std::vector<core::Nanoseconds> m_steps;  // of those that are done; 0: it cannot be run
    core::Nanoseconds m_step = 0;
    QString m_problem;
};

} // namespace remat::ui
