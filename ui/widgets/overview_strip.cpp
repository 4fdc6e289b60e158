// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/overview_strip.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "plots/plot_frame.h"
#include "theme/theme.h"

namespace remat::ui {

OverviewStrip::OverviewStrip(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Overview and visible range of the step"));
}

void OverviewStrip::setStack(std::shared_ptr<const StackData> stack)
{
    m_stack = std::move(stack);
    update();
}

void OverviewStrip::setView(double lower, double upper, double end, bool overEvents)
{
    m_lower = lower;
    m_upper = upper;
    m_end = std::max(end, 1e-9);
    m_overEvents = overEvents;
    update();
}

QSize OverviewStrip::sizeHint() const
{
    return {300, 20};
}

QSize OverviewStrip::minimumSizeHint() const
{
    return {120, 20};
}

QRectF OverviewStrip::track() const
{
    const QMargins margins = plotMargins(themeFont(TextRole::small));
    return {static_cast<double>(margins.left()), 3, static_cast<double>(width() - margins.left() - margins.right()),
            height() - 6.0};
}

double OverviewStrip::xOf(double key) const
{
    return track().left() + key / m_end * track().width();
}

double OverviewStrip::keyOf(double x) const
{
    return std::clamp((x - track().left()) / std::max(1.0, track().width()), 0.0, 1.0) * m_end;
}

void OverviewStrip::paintEvent(QPaintEvent *)
{
    if (!m_stack)
        return;
    QPainter painter(this);
    const Theme &theme = Theme::of(palette());
    const QRectF line = track();
    painter.fillRect(line, theme.grid);
    const QRectF brush(QPointF(xOf(m_lower), line.top()), QPointF(xOf(m_upper), line.bottom()));
    QColor tint = theme.accent;
    tint.setAlphaF(0.22F);
    painter.fillRect(brush, tint);
    // The silhouette: per pixel the highest total, so that the peak is seen whatever the width.
    QColor shade = theme.accent;
    shade.setAlphaF(0.45F);
    const double top = static_cast<double>(std::max<core::Bytes>(1, m_stack->total(m_stack->peak())));
    const auto columns = static_cast<int>(line.width());
    const auto stateOf = [this](double key) {
        return m_overEvents ? std::min(static_cast<std::size_t>(key), m_stack->states() - 1)
                            : m_stack->stateAt(static_cast<core::Nanoseconds>(key));
    };
    for (int x = 0; x < columns; ++x) {
        const std::size_t first = stateOf(m_end * x / columns), last = stateOf(m_end * (x + 0.999) / columns);
        const double h = static_cast<double>(m_stack->total(m_stack->highest(first, std::max(first, last)))) / top
            * (line.height() - 2);
        painter.fillRect(QRectF(line.left() + x, line.bottom() - h, 1, h), shade);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(theme.accent);
    painter.setPen(hasFocus() ? QPen(theme.text, 1.2) : QPen(Qt::NoPen));
    for (const double x : {brush.left(), brush.right()})
        painter.drawRoundedRect(QRectF(x - 3, 1, 6, height() - 2.0), 2, 2);
}

void OverviewStrip::choose(double lower, double upper)
{
    const double width = std::clamp(upper - lower, m_end / 1e5, m_end);
    const double low = std::clamp(lower, 0.0, m_end - width);
    Q_EMIT rangeChosen(low, low + width);
}

void OverviewStrip::mousePressEvent(QMouseEvent *event)
{
    if (!m_stack || event->button() != Qt::LeftButton)
        return;
    const double x = event->position().x();
    m_grabKey = keyOf(x);
    m_grabLower = m_lower;
    m_grabUpper = m_upper;
    if (std::abs(x - xOf(m_lower)) < 7)
        m_grip = Grip::left;
    else if (std::abs(x - xOf(m_upper)) < 7)
        m_grip = Grip::right;
    else if (m_grabKey > m_lower && m_grabKey < m_upper && m_upper - m_lower < 0.999 * m_end) {
        m_grip = Grip::middle;
    } else {
        m_grip = Grip::right;
        m_grabLower = m_grabKey;
    }
}

void OverviewStrip::mouseMoveEvent(QMouseEvent *event)
{
    const double key = keyOf(event->position().x());
    switch (m_grip) {
    case Grip::none:
        return;
    case Grip::left:
        choose(std::min(key, m_grabUpper), m_grabUpper);
        break;
    case Grip::right:
        choose(std::min(m_grabLower, key), std::max(m_grabLower, key));
        break;
    case Grip::middle:
        choose(m_grabLower + key - m_grabKey, m_grabUpper + key - m_grabKey);
        break;
    }
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent *)
{
    m_grip = Grip::none;
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent *)
{
    choose(0, m_end);
}

void OverviewStrip::keyPressEvent(QKeyEvent *event)
{
    const double width = m_upper - m_lower, middle = (m_lower + m_upper) / 2;
    switch (event->key()) {
    case Qt::Key_Left:
        choose(m_lower - 0.1 * width, m_upper - 0.1 * width);
        break;
    case Qt::Key_Right:
        choose(m_lower + 0.1 * width, m_upper + 0.1 * width);
        break;
    case Qt::Key_Plus:
        choose(middle - 0.35 * width, middle + 0.35 * width);
        break;
    case Qt::Key_Minus:
        choose(middle - width / 1.4, middle + width / 1.4);
        break;
    case Qt::Key_0:
        choose(0, m_end);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace remat::ui
