// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "runner/lever_probe.h"

#include <utility>

namespace remat::ui {

namespace {

/// A lever that the device cannot run has no price; anything else is wrong.
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
        if (m_limits.busyLimits() || !m_limits.limits())
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
    if (m_link) {
        m_link->disconnect(this);
        m_link->kill();
    }
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
    const QString what = ofLever() ? QString::fromStdString(m_limits.limits()->levers[m_steps.size() / 2].option)
                                   : tr("the setup as it is");
    return tr("Probing %1 of %2: %3…").arg(m_steps.size() + 1).arg(2 * m_workloads.size() - 1).arg(what);
}

void LeverProbe::start()
{
    if (busy() || !obstacle().isEmpty() || m_limits.busyLimits() || !m_limits.limits())
        return;
    m_problem.clear();
    m_steps.clear();
    m_step = 0;
    m_model = m_limits.askedModel();
    m_workloads = m_limits.pricedWorkloads();
    m_link = std::make_unique<RunnerLink>(m_runs.command());
    connect(m_link.get(), &RunnerLink::eventArrived, this, &LeverProbe::onEvent);
    connect(m_link.get(), &RunnerLink::garbageArrived, this, &LeverProbe::fail);
    // Queued: the link must not be deleted while it is the one that speaks.
    connect(m_link.get(), &RunnerLink::ended, this, &LeverProbe::onEnded, Qt::QueuedConnection);
    next();
    Q_EMIT changed();
}

const core::Workload &LeverProbe::current() const
{
    return m_workloads[ofLever() ? m_steps.size() / 2 + 1 : 0];
}

void LeverProbe::next()
{
    core::RunnerRequest request;
    request.id = static_cast<std::int64_t>(m_steps.size()) + 1;
    request.command = core::RunnerRequest::Command::probe;
    request.plan = {m_model, current(), {core::Strategy{}}, 0};
    m_link->send(request);
}

void LeverProbe::onEvent(const core::RunnerEvent &event)
{
    const bool ours = event.id == static_cast<std::int64_t>(m_steps.size()) + 1;
    if (event.kind == core::RunnerEvent::Kind::error && (ours || event.id == 0)) { // 0: it did not understand
        if (ours && ofLever() && isResult(event.error.code))
            take(0);
        else
            fail(QString::fromStdString(event.error.message));
    } else if (event.kind == core::RunnerEvent::Kind::costs && ours) {
        const auto expected = core::expect({}, m_model, current(), event.costs);
        if (expected)
            m_step = expected->step;
        else
            fail(QString::fromStdString(expected.error().message));
    } else if (event.kind == core::RunnerEvent::Kind::done && ours) {
        take(std::exchange(m_step, 0));
    }
}

void LeverProbe::take(core::Nanoseconds step)
{
    m_steps.push_back(step);
    if (m_steps.size() < 2 * m_workloads.size() - 1) {
        next();
        Q_EMIT changed();
        return;
    }
    stop();
    m_limits.takePrices(m_steps.front(), factors());
}

std::vector<double> LeverProbe::factors() const
{
    std::vector<double> list;
    for (std::size_t i = 1; i + 1 < m_steps.size(); i += 2) {
        const core::Nanoseconds without = m_steps[i - 1] + m_steps[i + 1];
        list.push_back(without > 0 ? 2.0 * static_cast<double>(m_steps[i]) / static_cast<double>(without) : 0.0);
    }
    return list;
}

void LeverProbe::fail(const QString &problem)
{
    stop();
    m_problem = problem;
    Q_EMIT changed();
}

/// Nothing of the runner's work is kept, so that it need not end politely.
void LeverProbe::stop()
{
    if (!m_link)
        return;
    m_link->disconnect(this);
    RunnerLink *link = m_link.release();
    link->setParent(this);
    connect(link, &RunnerLink::ended, link, &QObject::deleteLater);
    link->kill();
    Q_EMIT changed();
}

void LeverProbe::onEnded(const QString &reason)
{
    m_link.reset();
    m_problem = reason;
    Q_EMIT changed();
}

} // namespace remat::ui
