// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What mouse and keyboard do with the handle of the curve.

#include "plots/tradeoff_plot.h"

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include <QDateTime>
#include <QKeyEvent>

#include "models/handle_keys.h"
#include "models/text.h"
#include "plots/handle_painter.h"

namespace remat::ui {

namespace {

constexpr double kGripReach = 14.0; // half the height of the line's tag, and a little

} // namespace

const CurveMark *TradeoffPlot::markNear(QPointF position, bool onlyStops, double reach) const
{
    const QStringList stops = handleStops(m_mode, m_curve.layers);
    const CurveMark *nearest = nullptr;
    double best = reach;
    for (const CurveMark &mark : m_curve.marks) {
        const bool stop = stops.contains(mark.strategy);
        if (onlyStops ? !stop : (mark.kind == MarkKind::predicted && !stop))
            continue;
        const QPointF d = pixelOf(mark) - position;
        const double distance = std::hypot(d.x(), d.y());
        if (distance < best) {
            best = distance;
            nearest = &mark;
        }
    }
    return nearest;
}

bool TradeoffPlot::onHandle(QPointF position) const
{
    if (m_mode == HandleMode::budget)
        return onLine(position);
    const auto mark = m_curve.markFor(m_chosen);
    const QRect rect = m_plot->axisRect()->rect();
    if (!mark || !rect.adjusted(-6, 0, 6, 0).contains(position.toPoint()))
        return false;
    return std::abs(pixelOf(*mark).x() - position.x()) <= 6;
}

/// On the line or on its tag, which stays in sight where the line does not.
bool TradeoffPlot::onLine(QPointF position) const
{
    if (m_mode != HandleMode::budget || !m_line.ready())
        return false;
    const std::vector<QRectF> boxes = handlePainter().obstaclesOfBudget(m_line, m_plot->font());
    return boxes[0].adjusted(-6, -5, 14, 5).contains(position) || boxes[1].contains(position);
}

bool TradeoffPlot::pressed(QPointF position)
{
    const CurveMark *mark = markNear(position, false, 10);
    // Plans stand on their line, which is what is meant there, unless it is not moved.
    m_draggingLine = onLine(position) && (!mark || mark->strategy == m_chosen || mark->family == MarkFamily::plan);
    m_clicked = m_draggingLine && mark ? mark->strategy : QString();
    if (!mark && !onHandle(position))
        return false;
    m_dragging = true;
    m_beforeDrag = m_chosen;
    m_line.dropTyped();
    // Held where it was taken, unless only its tag was in reach.
    const double offset = m_plot->yAxis->coordToPixel(m_line.height()) - position.y();
    m_grip = std::abs(offset) < kGripReach ? offset : 0.0;
    m_plot->setInteraction(QCP::iRangeDrag, false);
    if (!m_draggingLine && mark && mark->strategy != m_chosen) {
        m_chosen = mark->strategy;
        Q_EMIT previewed(m_chosen);
    }
    repaintOverlay();
    return true;
}

void TradeoffPlot::hovered(QPointF position)
{
    const CurveMark *mark = markNear(position, false, 10);
    const bool over = onHandle(position) || mark;
    m_plot->setCursor(onLine(position) ? Qt::SizeVerCursor : over ? Qt::SizeHorCursor : Qt::ArrowCursor);
    m_plot->setToolTip(!mark ? QString() : mark->kind == MarkKind::failed ? mark->reason : droppedText(mark->strategy));
}

void TradeoffPlot::moved(QPointF position)
{
    if (m_draggingLine) {
        dragLine(position);
        return;
    }
    const CurveMark *mark = markNear(position, true, 1e9);
    if (!mark || mark->strategy == m_chosen)
        return;
    m_chosen = mark->strategy;
    repaintOverlay();
    Q_EMIT previewed(m_chosen);
}

void TradeoffPlot::dragLine(QPointF position)
{
    m_clicked.clear();
    const double pixel = m_plot->yAxis->range().size() / std::max(1, m_plot->axisRect()->height());
    m_line.dragTo(m_plot->yAxis->pixelToCoord(position.y() + m_grip), pixel);
    const bool other = m_line.strategy() != m_chosen;
    m_chosen = m_line.strategy();
    repaintOverlay();
    if (other)
        Q_EMIT previewed(m_chosen);
}

void TradeoffPlot::released()
{
    if (m_draggingLine && !m_clicked.isEmpty())
        m_chosen = m_clicked;
    m_dragging = m_draggingLine = false;
    m_plot->setInteraction(QCP::iRangeDrag, true);
    if (m_mode == HandleMode::budget && m_fitted)
        fit();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    updateDescription();
    Q_EMIT dropped(m_chosen, false);
}

bool TradeoffPlot::keyPressed(QKeyEvent &event)
{
    if (m_dragging && event.key() == Qt::Key_Escape) {
        m_chosen = m_beforeDrag;
        m_draggingLine = false;
        standLine();
        released();
        return true;
    }
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return false;
    if (m_mode == HandleMode::budget && m_line.ready() && lineKeyPressed(event))
        return true;
    if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) {
        Q_EMIT measureRequested(m_chosen);
        return true;
    }
    return valueKeyPressed(event);
}

bool TradeoffPlot::lineKeyPressed(const QKeyEvent &event)
{
    const bool typing = !m_line.typed().isEmpty();
    if (const auto key = budgetKeyFrom(event.key())) {
        m_line.dropTyped();
        pressBudgetKey(*key);
    } else if (typing && (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter)) {
        m_line.acceptTyped();
        Q_EMIT dropped(m_line.strategy(), false);
    } else if (typing && event.key() == Qt::Key_Escape) {
        m_line.dropTyped();
    } else if (typing && event.key() == Qt::Key_Backspace) {
        m_line.eraseTyped();
    } else if (event.text().size() != 1 || !m_line.type(event.text().front())) {
        return false;
    }
    updateDescription();
    repaintOverlay();
    return true;
}

void TradeoffPlot::pressBudgetKey(BudgetKey key)
{
    const QString before = m_chosen;
    m_line.press(key);
    if (m_line.strategy() != before)
        Q_EMIT dropped(m_line.strategy(), true);
}

bool TradeoffPlot::valueKeyPressed(const QKeyEvent &event)
{
    QString target;
    if (const auto key = handleKeyFrom(event.key()))
        target = handleKeyTarget(*key, m_mode, m_chosen, m_curve.layers);
    else if (event.key() >= Qt::Key_0 && event.key() <= Qt::Key_9) {
        const int digit = event.key() - Qt::Key_0;
        const int value = m_mode == HandleMode::budget
            ? 0
            : m_digits.add(digit, m_curve.layers, QDateTime::currentMSecsSinceEpoch());
        if (value > 0)
            target = Selection::strategyFor(m_mode, value);
        else if (digit == 0)
            fit();
    } else {
        return false;
    }
    if (!target.isEmpty() && target != m_chosen)
        Q_EMIT dropped(target, true);
    return true;
}

bool TradeoffPlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == this) {
        if (event->type() == QEvent::KeyPress)
            return keyPressed(*static_cast<QKeyEvent *>(event));
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
            repaintOverlay();
        return false;
    }
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        setFocus(Qt::MouseFocusReason);
        const auto *mouse = static_cast<QMouseEvent *>(event);
        return mouse->button() == Qt::LeftButton && pressed(mouse->position());
    }
    case QEvent::MouseMove: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        if (m_dragging)
            moved(mouse->position());
        else
            hovered(mouse->position());
        if (!m_dragging && (mouse->buttons() & Qt::LeftButton))
            m_fitted = false;
        return m_dragging;
    }
    case QEvent::MouseButtonRelease:
        if (m_dragging) {
            released();
            return true;
        }
        return false;
    case QEvent::MouseButtonDblClick:
        fit();
        return true;
    case QEvent::Resize:
        if (static_cast<QResizeEvent *>(event)->size().isEmpty())
            return true; // a page that was never shown; there is nothing to paint on
        if (m_fitted)
            QMetaObject::invokeMethod(
                this, [this] { fit(); }, Qt::QueuedConnection);
        return false;
    default:
        return false;
    }
}

} // namespace remat::ui
