// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/selection.h"

#include "schedule/strategy.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

Selection::Selection(QObject *parent) : QObject(parent) { }

int Selection::value() const
{
    const auto parsed = core::parseStrategy(m_strategy.toStdString());
    if (!parsed || parsed->options.any() || m_mode == HandleMode::budget)
        return 0;
    const auto wanted = m_mode == HandleMode::every ? core::StrategyKind::every : core::StrategyKind::segments;
    return parsed->kind == wanted ? parsed->n : 0;
}

void Selection::setStrategy(const QString &strategy)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    if (parsed && parsed->kind == core::StrategyKind::every)
        setMode(HandleMode::every);
    if (parsed && parsed->kind == core::StrategyKind::segments)
        setMode(HandleMode::segments);
    if (parsed && parsed->kind == core::StrategyKind::budget)
        setMode(HandleMode::budget);
    if (m_strategy == strategy)
        return;
    m_strategy = strategy;
    Q_EMIT strategyChanged(strategy);
}

void Selection::setMode(HandleMode mode)
{
    if (m_mode == mode)
        return;
    m_mode = mode;
    Q_EMIT modeChanged();
}

void Selection::setAxis(MemoryAxis axis)
{
    if (m_axis == axis)
        return;
    m_axis = axis;
    Q_EMIT axisChanged();
}

void Selection::setLayer(int layer)
{
    if (m_layer == layer)
        return;
    m_layer = layer;
    Q_EMIT layerChanged(layer);
}

void Selection::setCursor(core::Nanoseconds ns)
{
    if (m_cursor == ns)
        return;
    m_cursor = ns;
    Q_EMIT cursorChanged(ns);
}

void Selection::preview(const QString &strategy)
{
    Q_EMIT strategyPreviewed(strategy);
}

QString Selection::strategyFor(HandleMode mode, int value)
{
    if (value <= 0)
        return u"none"_s;
    return (mode == HandleMode::every ? u"every:%1"_s : u"segments:%1"_s).arg(value);
}

} // namespace remat::ui
