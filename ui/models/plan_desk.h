// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/latest_task.h"
#include "models/plan_front.h"

namespace remat::ui {

/// Has the front of the current costs computed on another thread, once for every change of them. GUI thread; owned by
/// the analysis.
class PlanDesk : public QObject
{
    Q_OBJECT
public:
    explicit PlanDesk(QObject *parent = nullptr);

    /// Costs that the last front was made of change nothing.
    void setCosts(const std::optional<core::ChainCosts> &costs, const core::ChainShape &shape);

    /// Null as long as there is none.
    [[nodiscard]] const std::shared_ptr<const PlanFront> &front() const { return m_front; }
    [[nodiscard]] bool busy() const { return m_task.busy(); }
    /// Why there is no front; one sentence, empty while there is hope.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    /// How often the planner was run: reading a front never runs it.
    [[nodiscard]] int computations() const { return m_computations; }

Q_SIGNALS:
    void changed();

private:
    std::optional<core::ChainCosts> m_costs;
    core::ChainShape m_shape;
    std::shared_ptr<const PlanFront> m_front;
    QString m_problem;
    int m_computations = 0;
    LatestTask m_task;
};

} // namespace remat::ui
