// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/curve_painter.h"

#include <cmath>

#include <QCoreApplication>

#include "models/text.h"
#include "plots/label_layout.h"

namespace remat::ui {

namespace {

constexpr double kRadius = 4.5;

bool belongs(const CurveMark &mark, HandleMode mode)
{
    return mark.family == MarkFamily::none
        || mark.family == (mode == HandleMode::every ? MarkFamily::every : MarkFamily::segments);
}

QString labelOf(const CurveMark &mark)
{
    const QString name = strategyLabel(mark.strategy);
    return mark.kind == MarkKind::predicted
        ? QCoreApplication::translate("remat::ui::Curve", "%1 (predicted)").arg(name)
        : name;
}

bool isRound(int value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

} // namespace

void drawMark(QPainter &painter, MarkFamily family, QPointF at)
{
    const QRectF box(at.x() - kRadius, at.y() - kRadius, 2 * kRadius, 2 * kRadius);
    switch (family) {
    case MarkFamily::none:
    case MarkFamily::every:
        painter.drawEllipse(box);
        break;
    case MarkFamily::segments:
        painter.drawRoundedRect(box, 1, 1);
        break;
    case MarkFamily::selective:
        painter.drawPolygon(
            QPolygonF({{at.x(), at.y() - 5.5}, {at.x() + 5.5, at.y() + 4.0}, {at.x() - 5.5, at.y() + 4.0}}));
        break;
    case MarkFamily::other:
        painter.drawPolygon(QPolygonF(
            {{at.x(), at.y() - 5.5}, {at.x() + 5.5, at.y()}, {at.x(), at.y() + 5.5}, {at.x() - 5.5, at.y()}}));
        break;
    }
}

QColor markColor(MarkFamily family, const Theme &theme)
{
    switch (family) {
    case MarkFamily::none:
    case MarkFamily::every:
        break;
    case MarkFamily::segments:
        return theme.segmentsMark;
    case MarkFamily::selective:
        return theme.selectiveMark;
    case MarkFamily::other:
        return theme.otherMark;
    }
    return theme.everyMark;
}

/// Predictions of the mode that is not in use would only crowd the page.
bool CurvePainter::shown(const CurveMark &mark) const
{
    return mark.kind != MarkKind::predicted || belongs(mark, mode) || mark.strategy == chosen;
}

QColor CurvePainter::colorOf(const CurveMark &mark) const
{
    if (mark.kind == MarkKind::failed)
        return theme.warning;
    return markColor(mark.family, theme);
}

void CurvePainter::paint(QPainter &painter) const
{
    paintLine(painter, mode == HandleMode::every ? HandleMode::segments : HandleMode::every);
    paintLine(painter, mode);
    for (const CurveMark &mark : curve.marks) {
        if (shown(mark))
            paintMark(painter, mark);
    }
    paintLabels(painter);
}

/// Solid through what was measured; dashed and thin where the simulator puts every value of the mode in use.
void CurvePainter::paintLine(QPainter &painter, HandleMode lineMode) const
{
    const bool active = lineMode == mode;
    QColor color = lineMode == HandleMode::every ? theme.everyMark : theme.segmentsMark;
    color.setAlphaF(active ? 1.0F : 0.55F);
    QPolygonF measured, predicted;
    for (const CurveMark *mark : lineOf(curve, lineMode)) {
        if (mark->kind == MarkKind::measured)
            measured << toPixel(mark->time, static_cast<double>(mark->bytes));
    }
    for (const auto &[time, bytes] : curve.predicted[static_cast<std::size_t>(lineMode)])
        predicted << toPixel(time, static_cast<double>(bytes));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, active ? 1.6 : 1.2));
    painter.drawPolyline(measured);
    color.setAlphaF(0.6F);
    painter.setPen(QPen(color, 1.0, Qt::DashLine));
    if (active)
        painter.drawPolyline(predicted);
}

void CurvePainter::paintMark(QPainter &painter, const CurveMark &mark) const
{
    const QPointF at = toPixel(mark.time, static_cast<double>(mark.bytes));
    const QColor color = colorOf(mark);
    if (mark.kind == MarkKind::failed) {
        painter.setPen(QPen(color, 2));
        painter.drawLine(at + QPointF(-kRadius, -kRadius), at + QPointF(kRadius, kRadius));
        painter.drawLine(at + QPointF(-kRadius, kRadius), at + QPointF(kRadius, -kRadius));
        return;
    }
    if (mark.kind == MarkKind::measured && mark.timeHigh > mark.timeLow) {
        painter.setPen(QPen(color, 1.4));
        painter.drawLine(toPixel(mark.timeLow, static_cast<double>(mark.bytes)),
                         toPixel(mark.timeHigh, static_cast<double>(mark.bytes)));
        for (const double end : {mark.timeLow, mark.timeHigh}) {
            const QPointF tip = toPixel(end, static_cast<double>(mark.bytes));
            if (std::abs(tip.x() - at.x()) > kRadius + 1) // caps inside the mark would only spoil its shape
                painter.drawLine(tip + QPointF(0, -3), tip + QPointF(0, 3));
        }
    }
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(mark.kind == MarkKind::measured ? color : theme.card);
    drawMark(painter, mark.family, at);
}

void CurvePainter::paintLabels(QPainter &painter) const
{
    std::vector<LabelWish> wishes;
    std::vector<const CurveMark *> marks;
    const QFontMetricsF metrics(painter.font());
    for (const CurveMark &mark : curve.marks) {
        if (!shown(mark))
            continue;
        int priority = mark.kind == MarkKind::predicted ? 0 : mark.kind == MarkKind::failed ? 60 : 20;
        priority += mark.strategy == chosen ? 100 : mark.family == MarkFamily::none ? 50 : belongs(mark, mode) ? 10 : 0;
        priority += isRound(mark.value) ? 5 : 0;
        const QPointF at = toPixel(mark.time, static_cast<double>(mark.bytes));
        const double left = at.x() - toPixel(mark.timeLow, 0).x(), right = toPixel(mark.timeHigh, 0).x() - at.x();
        // Of the predictions only the round numbers are named; the handle names the others.
        const bool named = mark.kind != MarkKind::predicted || isRound(mark.value) || mark.strategy == chosen;
        const double width = named ? metrics.horizontalAdvance(labelOf(mark)) + 2 : 0.0;
        wishes.push_back({at, {width, metrics.height()}, left, right, priority});
        marks.push_back(&mark);
    }
    const CurveMark *own = curve.find(chosen);
    const double x = own ? toPixel(own->time, 0).x() : 0;
    const QRectF handle = own ? QRectF(x - 3, bounds.top(), 6, bounds.height()) : QRectF();
    const std::vector<QRectF> boxes = placeLabels(wishes, bounds, kRadius + 1.5, handle);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].isNull())
            continue;
        painter.setPen(marks[i]->kind == MarkKind::failed ? theme.warning : theme.secondary);
        painter.drawText(boxes[i], Qt::AlignCenter, labelOf(*marks[i]));
    }
}

} // namespace remat::ui
