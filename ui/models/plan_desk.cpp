// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/plan_desk.h"

namespace remat::ui {

PlanDesk::PlanDesk(QObject *parent) : QObject(parent) { }

void PlanDesk::setCosts(const std::optional<core::ChainCosts> &costs, const core::ChainShape &shape)
{
    if (costs == m_costs && shape == m_shape)
        return;
    const bool had = m_front || !m_problem.isEmpty();
    m_costs = costs;
    m_shape = shape;
    m_front.reset();
    m_problem.clear();
    if (!costs || shape.layers <= 0) {
        m_task.cancel();
    } else {
        ++m_computations;
        m_task.start([this, costs = *costs, shape](std::stop_token stop, const LatestTask::Deliver &deliver) {
            auto made = makeFront(costs, shape, stop);
            if (stop.stop_requested())
                return;
            // A reference to this object is safe: the task is its member, and delivers on its thread while it lives.
            auto front = made ? std::make_shared<const PlanFront>(std::move(*made)) : nullptr;
            deliver([this, front, why = made ? std::string() : made.error().message] {
                m_front = front;
                m_problem = QString::fromStdString(why);
                Q_EMIT changed();
            });
        });
    }
    if (had)
        Q_EMIT changed();
}

} // namespace remat::ui
