// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/analysis.h"

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
    m_curve = buildCurve({m_document.points(), m_document.costs(), m_document.shape(), m_selection.axis()});
    Q_EMIT curveChanged();
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
    return adviceFor(m_shown, m_curve, m_selection.axis(), m_peak ? &*m_peak : nullptr);
}

} // namespace remat::ui
