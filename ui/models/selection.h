// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "base/units.h"

namespace remat::ui {

/// What the handle sets. The two meanings of "the interval" are never one: every:N checkpoints each N-th block, segments:K
/// reruns groups of K; a budget leaves the choice to the planner.
enum class HandleMode { every, segments, budget };

/// Which memory the curve, the panel and the timeline count.
enum class MemoryAxis { activations, everything };

/// What every page looks at: the chosen strategy, the mode of the handle, the memory axis, a layer, and one time cursor.
/// One object, owned by the composition; pages change it and listen to it and never to each other. While a handle moves,
/// `strategyPreviewed` tells what is under it; a drop is `strategyChanged`. GUI thread.
class Selection : public QObject
{
    Q_OBJECT
public:
    explicit Selection(QObject *parent = nullptr);

    [[nodiscard]] const QString &strategy() const { return m_strategy; }
    [[nodiscard]] HandleMode mode() const { return m_mode; }
    [[nodiscard]] MemoryAxis axis() const { return m_axis; }
    [[nodiscard]] int layer() const { return m_layer; }
    /// Time of the cursor in the step, -1 for none.
    [[nodiscard]] core::Nanoseconds cursor() const { return m_cursor; }
    /// N or K of the chosen strategy where it belongs to the mode, 0 otherwise.
    [[nodiscard]] int value() const;

    /// Chooses without a trace in the history: on load, and by undo and redo.
    void setStrategy(const QString &strategy);
    void setMode(HandleMode mode);
    void setAxis(MemoryAxis axis);
    void setLayer(int layer);
    void setCursor(core::Nanoseconds ns);

    /// The handle passes over a strategy without being dropped; everything that is cheap follows.
    void preview(const QString &strategy);

    /// Of a mode with values: every or segments.
    [[nodiscard]] static QString strategyFor(HandleMode mode, int value);

Q_SIGNALS:
    void strategyChanged(const QString &strategy);
    void strategyPreviewed(const QString &strategy);
    void modeChanged();
    void axisChanged();
    void layerChanged(int layer);
    void cursorChanged(core::Nanoseconds ns);

private:
    QString m_strategy;
    HandleMode m_mode = HandleMode::segments;
    MemoryAxis m_axis = MemoryAxis::activations;
    int m_layer = -1;
    core::Nanoseconds m_cursor = -1;
};

} // namespace remat::ui
