// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/analysis.h"

#include "models/plan_advice.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"

namespace remat::ui {

namespace {

constexpr int kFollowMs = 50;

} // namespace

Analysis::Analysis(SessionDocument &document, Selection &selection, QObject *parent)
    : QObject(parent), m_document(document), m_selection(selection)
{
    m_throttle.setSingleShot(true);
    m_throttle.setInterval(kFollowMs);
    connect(&m_throttle, &QTimer::timeout, this, [this] {
        m_shown = m_pending;
        rebuildStep();
    });
    connect(&document, &SessionDocument::pointsChanged, this, [this] {
        m_plans.setCosts(m_document.costs(), m_document.shape());
        rebuildCurve();
        rebuildStep();
    });
    connect(&m_plans, &PlanDesk::changed, this, [this] {
        rebuildCurve();
        rebuildStep();
    });
    connect(&selection, &Selection::axisChanged, this, [this] {
        rebuildCurve();
        rebuildStep();
    });
    connect(&selection, &Selection::strategyChanged, this, [this](const QString &strategy) {
        m_throttle.stop();
        m_shown = strategy;
        rebuildStep();
    });
    connect(&selection, &Selection::strategyPreviewed, this, [this](const QString &strategy) {
        m_pending = strategy;
        if (!m_throttle.isActive())
            m_throttle.start();
    });
}

void Analysis::rebuildCurve()
{
    m_curve = buildCurve(
        {m_document.points(), m_document.costs(), m_document.shape(), m_selection.axis(), m_plans.front()});
    Q_EMIT curveChanged();
}

const FrontPlan *Analysis::plan(const QString &strategy) const
{
    const auto &front = m_plans.front();
    const auto parsed = core::parseStrategy(strategy.toStdString());
    return front && parsed ? front->planOf(*parsed) : nullptr;
}

std::optional<core::Schedule> Analysis::schedule(const QString &strategy) const
{
    if (auto known = m_document.schedule(strategy))
        return known;
    const FrontPlan *planned = plan(strategy);
    return planned ? std::optional(planned->schedule) : std::nullopt;
}

void Analysis::rebuildStep()
{
    m_recording = m_document.recording(m_shown);
    m_stacks = {};
    m_peak.reset();
    if (m_recording)
        m_peak = peakSummary(*m_recording, m_selection.axis(), m_document.shape());
    Q_EMIT shownChanged();
}

std::shared_ptr<const StackData> Analysis::stack(bool byLayer) const
{
    if (!m_recording)
        return nullptr;
    auto &stack = m_stacks[byLayer ? 1 : 0];
    if (!stack)
        stack = std::make_shared<const StackData>(
            *m_recording, StackOptions{byLayer, m_selection.axis() == MemoryAxis::everything, m_document.shape()});
    return stack;
}

std::vector<Advice> Analysis::advice() const
{
    std::vector<Advice> list = adviceFor(m_shown, m_curve, m_selection.axis(), m_peak ? &*m_peak : nullptr);
    const auto own = m_curve.markFor(m_shown);
    std::vector<Advice> plans = own ? planAdvice(*own, m_curve, predictedStep()) : std::vector<Advice>();
    // Two sentences are read, four are not.
    if (!plans.empty() && list.size() > 1)
        list.resize(1);
    for (Advice &advice : plans)
        if (list.empty() || advice.strategy.isEmpty() || advice.strategy != list.front().strategy)
            list.push_back(std::move(advice));
    return list;
}

/// On the costs that were planned with, so that it can be compared with a plan; -1 where it is not known.
core::Nanoseconds Analysis::predictedStep() const
{
    const auto known = m_curve.front ? schedule(m_shown) : std::nullopt;
    if (!known)
        return -1;
    const auto simulation = core::simulate(*known, m_curve.front->costs);
    return simulation ? simulation->stepNs : -1;
}

} // namespace remat::ui
