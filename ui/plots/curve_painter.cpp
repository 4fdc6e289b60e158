// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/curve_painter.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "models/text.h"
#include "plots/label_layout.h"

namespace remat::ui {

namespace {

constexpr double kRadius = 4.5;
constexpr double kRing = 10.0; // around the chosen mark

bool belongs(const CurveMark &mark, HandleMode mode)
{
    switch (mode) {
    case HandleMode::every:
        return mark.family == MarkFamily::none || mark.family == MarkFamily::every;
    case HandleMode::segments:
        return mark.family == MarkFamily::none || mark.family == MarkFamily::segments;
    case HandleMode::budget:
        return mark.family == MarkFamily::none || mark.family == MarkFamily::plan;
    }
    return false;
}

QPolygonF starAround(QPointF at)
{
    QPolygonF star;
    for (int i = 0; i < 10; ++i) {
        const double radius = i % 2 == 0 ? 6.3 : 2.9, angle = (i * 36.0 - 90.0) * M_PI / 180.0;
        star << at + radius * QPointF(std::cos(angle), std::sin(angle));
    }
    return star;
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
    case MarkFamily::plan:
        painter.drawPolygon(starAround(at));
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
    case MarkFamily::plan:
        return theme.planMark;
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
    paintBest(painter);
    for (const HandleMode line : {HandleMode::every, HandleMode::segments})
        if (line != mode)
            paintLine(painter, line);
    if (mode != HandleMode::budget)
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

/// Thin and grey: what the planner predicts is no line of marks, and nothing on it was measured as long as no mark stands
/// there.
void CurvePainter::paintBest(QPainter &painter) const
{
    QPolygonF line;
    for (const auto &[time, bytes] : curve.best)
        line << toPixel(time, static_cast<double>(bytes));
    painter.setBrush(Qt::NoBrush);
    QPen pen(theme.secondary, mode == HandleMode::budget ? 1.4 : 1.0);
    pen.setDashPattern({5.0, 3.5});
    painter.setPen(pen);
    painter.drawPolyline(line);
}

QString CurvePainter::bestText() const
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("remat::ui::Curve", text); };
    if (!curve.bestOnAxis())
        return tr("plans for a budget (planner)");
    return curve.front && !curve.front->withOptions ? tr("best with what was probed (planner)")
                                                    : tr("best possible (planner)");
}

/// The part of the line that is seen, a point every few pixels, so that what lies across it can be told.
QPolygonF CurvePainter::seenOfBest() const
{
    QPolygonF seen;
    std::optional<QPointF> from;
    for (const auto &[time, bytes] : curve.best) {
        const QPointF at = toPixel(time, static_cast<double>(bytes));
        const QPointF way = at - from.value_or(at);
        const int parts = std::min(400, 1 + static_cast<int>(std::hypot(way.x(), way.y()) / 4));
        for (int part = 1; part <= parts; ++part)
            if (const QPointF point = at - way * (parts - part) / parts; bounds.contains(point))
                seen << point;
        from = at;
    }
    return seen;
}

/// Beside the line wherever there is room: on no mark, no label, and not across the line itself. Null where there is none.
QRectF CurvePainter::bestBox(const std::vector<QRectF> &taken, const QSizeF &size) const
{
    const QPolygonF line = seenOfBest();
    const auto isFree = [&](const QRectF &box) {
        const QRectF wide = box.adjusted(-3, -1, 3, 1);
        const auto hides = [&](const CurveMark &mark) {
            const auto bytes = static_cast<double>(mark.bytes);
            const QRectF spread(toPixel(mark.timeLow, bytes), toPixel(mark.timeHigh, bytes));
            const double r = kRadius + 1;
            return shown(mark) && spread.adjusted(-r, -r, r, r).intersects(box);
        };
        return bounds.contains(box)
            && std::none_of(taken.begin(), taken.end(), [&](const QRectF &other) { return other.intersects(box); })
            && std::none_of(line.begin(), line.end(), [&](QPointF point) { return wide.contains(point); })
            && std::none_of(curve.marks.begin(), curve.marks.end(), hides);
    };
    const double w = size.width(), h = size.height();
    const qsizetype step = std::max<qsizetype>(1, line.size() / 60);
    for (qsizetype i = 0; i < line.size(); i += step) {
        const QPointF at = line[(i + line.size() / 5) % line.size()];
        for (const QPointF &offset :
             {QPointF(-w - 8, -h / 2), QPointF(-w, 4), QPointF(-w / 2, 4), QPointF(-w / 2, -h - 4), QPointF(8, -h / 2)})
            if (const QRectF box(at + offset, size); isFree(box))
                return box;
    }
    return {};
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
    if (const auto own = curve.markFor(chosen); own && !curve.find(chosen))
        wishes.push_back({toPixel(own->time, static_cast<double>(own->bytes)), {}, kRing, kRing, 200});
    const std::vector<QRectF> boxes = placeLabels(wishes, bounds, kRadius + 1.5, obstacles);
    std::vector<QRectF> taken = boxes;
    taken.insert(taken.end(), obstacles.begin(), obstacles.end());
    const QRectF best = bestBox(taken, {metrics.horizontalAdvance(bestText()) + 2, metrics.height()});
    painter.setPen(theme.secondary);
    if (!best.isNull())
        painter.drawText(best, Qt::AlignCenter, bestText());
    // Lines pass behind names.
    QColor paper = theme.card;
    paper.setAlphaF(0.8F);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (boxes[i].isNull())
            continue;
        painter.fillRect(boxes[i].adjusted(0, 1, 0, -1), paper);
        painter.setPen(marks[i]->kind == MarkKind::failed ? theme.warning : theme.secondary);
        painter.drawText(boxes[i], Qt::AlignCenter, labelOf(*marks[i]));
    }
}

} // namespace remat::ui
