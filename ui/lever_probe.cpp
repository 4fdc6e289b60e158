// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lever_probe.h"

#include <utility>

namespace remat::ui {

namespace {

bool isResult(core::ErrorCode code)
{
    return code == core::ErrorCode::doesNotFit || code == core::ErrorCode::refused;
}

} // namespace

LeverProbe::LeverProbe(LimitsModel &limits, const RunController &runs, QObject *parent)
    : QObject(parent), m_limits(limits), m_runs(runs)
{
    connect(&limits, &LimitsModel::limitsChanged, this, [this] {
        m_problem.clear();
        if (busy() && (m_limits.busyLimits() || !m_limits.limits()))
            stop();
    });
    connect(&runs, &RunController::stateChanged, this, [this] {
        if (m_runs.busy())
            stop();
        Q_EMIT changed();
    });
}

LeverProbe::~LeverProbe()
{
    if (m_link)
        m_link->disconnect(this);
}

QString LeverProbe::obstacle() const
{
    if (!m_runs.available())
        return tr("There is no runner to probe with; set REMAT_RUNNER to the path of remat.");
    if (m_runs.busy())
        return tr("A sweep is being measured, and a probe would slow it down.");
    return {};
}

QString LeverProbe::words() const
{
    if (!busy())
        return m_problem;
    const std::size_t done = m_steps.size();
    const QString what
        = done == 0 ? tr("the setup as it is") : QString::fromStdString(m_limits.limits()->levers[done - 1].option);
    return tr("Probing %1 of %2: %3…").arg(done + 1).arg(m_workloads.size()).arg(what);
}

void LeverProbe::start()
{
    if (busy() || !obstacle().isEmpty() || m_limits.busyLimits() || !m_limits.limits())
        return;
    m_problem.clear();
    m_steps.clear();
    m_model = m_limits.askedModel();
    m_workloads = m_limits.pricedWorkloads();
    m_link = std::make_unique<RunnerLink>(m_runs.command());
    connect(m_link.get(), &RunnerLink::eventArrived, this, &LeverProbe::onEvent);
    // Queued: the link must not be deleted while it is the one that speaks.
    connect(m_link.get(), &RunnerLink::ended, this, &LeverProbe::end, Qt::QueuedConnection);
    next();
    Q_EMIT changed();
}

void LeverProbe::next()
{
    core::RunnerRequest request;
    request.id = static_cast<std::int64_t>(m_steps.size()) + 1;
    request.command = core::RunnerRequest::Command::probe;
    request.plan = {m_model, m_workloads[m_steps.size()], {core::Strategy{}}, 0};
    m_link->send(request);
}

void LeverProbe::onEvent(const core::RunnerEvent &event)
{
    if (!busy() || event.id != static_cast<std::int64_t>(m_steps.size()) + 1)
        return;
    if (event.kind == core::RunnerEvent::Kind::costs) {
        const auto expected = core::expect({}, m_model, m_workloads[m_steps.size()], event.costs);
        m_step = expected ? expected->step : 0;
        return;
    }
    const bool failed = event.kind == core::RunnerEvent::Kind::error;
    if (!failed && event.kind != core::RunnerEvent::Kind::done)
        return;
    // Without a price of the setup itself the others compare with nothing.
    if (failed && (!isResult(event.error.code) || m_steps.empty()))
        return end(QString::fromStdString(event.error.message));
    m_steps.push_back(failed ? 0 : std::exchange(m_step, 0));
    if (m_steps.size() < m_workloads.size()) {
        next();
        Q_EMIT changed();
        return;
    }
    const auto steps = std::move(m_steps);
    end({});
    m_limits.takePrices(steps);
}

void LeverProbe::stop()
{
    if (busy())
        end({});
}

/// The runner is asked to quit and forgotten.
void LeverProbe::end(const QString &problem)
{
    if (!m_link)
        return;
    m_problem = problem;
    m_link->disconnect(this);
    RunnerLink *link = m_link.release();
    link->setParent(this);
    connect(link, &RunnerLink::ended, link, &QObject::deleteLater);
    core::RunnerRequest cancel;
    cancel.command = core::RunnerRequest::Command::cancel;
    link->send(cancel);
    link->quit();
    Q_EMIT changed();
}

} // namespace remat::ui
