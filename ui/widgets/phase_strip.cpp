// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/phase_strip.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "models/text.h"
#include "plots/plot_frame.h"
#include "theme/hatch.h"

namespace remat::ui {

namespace {

constexpr double kHeight = 14.0;

} // namespace

PhaseStrip::PhaseStrip(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Phases of the step"));
}

void PhaseStrip::setStack(std::shared_ptr<const StackData> stack)
{
    m_stack = std::move(stack);
    update();
}

void PhaseStrip::setView(double lower, double upper, bool overEvents)
{
    m_lower = lower;
    m_upper = std::max(upper, lower + 1e-9);
    m_overEvents = overEvents;
    update();
}

QSize PhaseStrip::sizeHint() const
{
    return {300, static_cast<int>(kHeight) + 4 + QFontMetrics(themeFont(TextRole::small)).height()};
}

QSize PhaseStrip::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

std::vector<PhaseStrip::Segment> PhaseStrip::segments() const
{
    std::vector<Segment> list;
    if (!m_stack)
        return list;
    const QMargins margins = plotMargins(themeFont(TextRole::small));
    const double left = margins.left(), right = width() - margins.right();
    const double scale = (right - left) / (m_upper - m_lower);
    for (const PhaseSpan &span : m_stack->phases()) {
        const double begin = m_overEvents ? static_cast<double>(span.beginState) : static_cast<double>(span.begin);
        const double end = m_overEvents ? static_cast<double>(span.endState) : static_cast<double>(span.end);
        const double x0 = std::clamp(left + (begin - m_lower) * scale, left, right);
        const double x1 = std::clamp(left + (end - m_lower) * scale, left, right);
        if (x1 > x0)
            list.push_back({QRectF(x0, 0, x1 - x0, kHeight), &span});
    }
    return list;
}

/// How long each phase took altogether, from left to right under where it happens.
void PhaseStrip::paintSums(QPainter &painter, const QRectF &row) const
{
    struct Sum
    {
        core::Phase phase;
        core::Nanoseconds ns = 0;
        double weightedX = 0, weight = 0;
    };
    std::vector<Sum> sums;
    for (const PhaseSpan &span : m_stack->phases()) {
        auto at = std::find_if(sums.begin(), sums.end(), [&](const Sum &s) { return s.phase == span.phase; });
        if (at == sums.end())
            at = sums.insert(sums.end(), {span.phase, 0, 0, 0});
        at->ns += span.end - span.begin;
    }
    for (const Segment &segment : segments()) {
        const auto at
            = std::find_if(sums.begin(), sums.end(), [&](const Sum &s) { return s.phase == segment.span->phase; });
        at->weightedX += segment.box.center().x() * segment.box.width();
        at->weight += segment.box.width();
    }
    std::sort(sums.begin(), sums.end(), [](const Sum &a, const Sum &b) { return a.ns > b.ns; });
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> taken;
    for (const Sum &sum : sums) {
        if (sum.weight <= 0 || sum.phase == core::Phase::other)
            continue;
        const QString text = phaseText(sum.phase) + QLatin1Char(' ') + durationText(sum.ns);
        const double w = metrics.horizontalAdvance(text);
        QRectF box(sum.weightedX / sum.weight - w / 2, row.top(), w, row.height());
        box.moveLeft(std::clamp(box.left(), row.left(), std::max(row.left(), row.right() - w)));
        for (const QRectF &other : taken) {
            if (!other.adjusted(-14, 0, 14, 0).intersects(box))
                continue;
            const bool rightSide = box.center().x() >= other.center().x();
            box.moveLeft(rightSide ? other.right() + 14 : other.left() - 14 - w);
        }
        const bool blocked = std::any_of(taken.begin(), taken.end(),
                                         [&](const QRectF &o) { return o.adjusted(-8, 0, 8, 0).intersects(box); });
        if (blocked || box.left() < row.left() - 0.5 || box.right() > row.right() + 0.5)
            continue;
        taken.push_back(box);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void PhaseStrip::paintEvent(QPaintEvent *)
{
    if (!m_stack)
        return;
    QPainter painter(this);
    const Theme &theme = Theme::of(palette());
    for (const Segment &segment : segments())
        painter.fillRect(segment.box, fillBrush(theme.phase(segment.span->phase), devicePixelRatioF()));
    painter.setFont(themeFont(TextRole::small));
    painter.setPen(theme.secondary);
    const QMargins margins = plotMargins(painter.font());
    painter.drawText(QRectF(0, -2, margins.left() - 7, kHeight + 4), Qt::AlignRight | Qt::AlignVCenter, tr("phase"));
    paintSums(painter,
              QRectF(margins.left(), kHeight + 2, width() - margins.left() - margins.right(), height() - kHeight - 2));
}

bool PhaseStrip::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        for (const Segment &segment : segments()) {
            if (segment.box.contains(help->pos())) {
                QToolTip::showText(help->globalPos(),
                                   phaseText(segment.span->phase) + QStringLiteral(" · ")
                                       + durationText(segment.span->end - segment.span->begin),
                                   this);
                return true;
            }
        }
    }
    return QWidget::event(event);
}

} // namespace remat::ui
