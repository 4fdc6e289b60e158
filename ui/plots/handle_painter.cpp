// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/handle_painter.h"

#include <algorithm>

#include <QCoreApplication>
#include <QLocale>

#include "models/text.h"
#include "plots/curve_painter.h"
#include "plots/plot_frame.h"

namespace remat::ui {

namespace {

constexpr double kRing = 10.0;   // radius, around the chosen mark
constexpr double kArrows = 14.0; // width of what says that the line goes up and down

QString tr(const char *text)
{
    return QCoreApplication::translate("remat::ui::Handle", text);
}

QString timeOf(double time, const CurveData &curve)
{
    return curve.relative ? factorText(time) : durationText(static_cast<core::Nanoseconds>(time * 1e6));
}

QFont strongOf(QFont strong)
{
    strong.setWeight(QFont::DemiBold);
    return strong;
}

} // namespace

QString handleText(const CurveMark &mark, const CurveData &curve)
{
    QString text = handleMeaning(mark.strategy, curve.layers);
    if (mark.kind == MarkKind::failed)
        return text + tr(" · does not fit");
    text += QStringLiteral(" · ") + bytesText(mark.bytes) + QStringLiteral(" · ") + timeOf(mark.time, curve);
    const double spread = (mark.timeHigh - mark.timeLow) / 2;
    if (mark.kind == MarkKind::predicted)
        text += tr(" · predicted");
    else if (curve.relative && spread > 0)
        text += QStringLiteral(" ± ") + QLocale().toString(std::max(0.01, spread), 'f', 2);
    return text;
}

QString budgetText(const BudgetLine &line, const std::optional<CurveMark> &plan, const CurveData &curve)
{
    if (const auto wanted = line.tooSmall()) {
        const QString text = curve.front->withOptions
            ? tr("No schedule fits %1: the smallest peak is %2,\nset by %3.")
            : tr("No plan with what was probed fits %1: the smallest peak is %2,\nset by %3.");
        return text.arg(bytesText(*wanted), bytesText(line.budget()),
                        QString::fromStdString(curve.front->bindingWords()));
    }
    const CurveMark *measured = curve.fastestMeasured(line.budget());
    if (!measured)
        return tr("nothing measured fits");
    if (plan && plan->strategy == measured->strategy)
        return tr("fastest measured that fits");
    const QString text = tr("fastest measured that fits: %1, %2")
                             .arg(strategyLabel(measured->strategy), timeOf(measured->time, curve));
    return plan && plan->kind == MarkKind::predicted && plan->time < measured->timeLow
        ? text + tr(" · Enter measures the plan")
        : text;
}

void HandlePainter::paintBubble(QPainter &painter, double x, const QString &text, bool accent) const
{
    painter.setFont(strongOf(painter.font()));
    const QFontMetricsF metrics(painter.font());
    const QSizeF size = metrics.size(0, text);
    const bool left = x + 8 + size.width() + 18 > rect.right() + 10;
    const double lines = text.contains(QLatin1Char('\n')) ? metrics.height() / 2 : 0;
    drawBubble(painter, {left ? x - 26 - size.width() : x + 8, rect.top() + 14 + lines}, text,
               rect.adjusted(0, 0, 12, 0), accent, theme);
}

void HandlePainter::paintValue(QPainter &painter, const CurveMark &mark) const
{
    const QPointF at = pixelOf(mark);
    if (!rect.adjusted(-1, -1, 1, 1).contains(at))
        return;
    painter.setPen(QPen(theme.accent, live ? 2.4 : 1.6));
    painter.drawLine(QPointF(at.x(), rect.top() + 6), QPointF(at.x(), rect.bottom()));
    paintRing(painter, mark);
    paintBubble(painter, at.x(), handleText(mark, curve), true);
}

QString HandlePainter::tagText(const BudgetLine &line) const
{
    if (!line.typed().isEmpty())
        return tr("budget %1 ⏎").arg(line.typed());
    const QString text = tr("budget %1").arg(bytesText(line.budget()));
    return line.below() > 0 ? text + tr(" · %1 of it fixed").arg(bytesText(line.below())) : text;
}

QRectF HandlePainter::tagBox(const BudgetLine &line, const QFont &font) const
{
    const QFontMetricsF metrics(font);
    QRectF box(0, 0, metrics.horizontalAdvance(tagText(line)) + 18 + kArrows, metrics.height() + 6);
    box.moveRight(rect.right() + 10);
    const double y = toPixel(0, line.height()).y();
    box.moveTop(std::clamp(y - box.height() / 2, rect.top(), rect.bottom() - box.height()));
    const auto plan = curve.markFor(line.strategy());
    const double half = kRing + 2;
    if (plan && box.adjusted(-half, -half, half, half).contains(pixelOf(*plan)))
        box.moveLeft(rect.left() + 8);
    return box;
}

std::vector<QRectF> HandlePainter::obstaclesOfValue(const CurveMark &mark) const
{
    return {QRectF(pixelOf(mark).x() - 3, rect.top(), 6, rect.height())};
}

std::vector<QRectF> HandlePainter::obstaclesOfBudget(const BudgetLine &line, const QFont &font) const
{
    const double y = toPixel(0, line.height()).y();
    return {QRectF(rect.left(), y - 2, rect.width(), 4), tagBox(line, strongOf(font))};
}

/// The line with its name at the right end, as wide as the axes.
void HandlePainter::paintLevel(QPainter &painter, const BudgetLine &line) const
{
    const QColor color = line.tooSmall() ? theme.warning : theme.accent;
    const double y = toPixel(0, line.height()).y();
    const bool seen = y >= rect.top() && y <= rect.bottom() + 1;
    painter.setPen(QPen(color, live ? 2.2 : 1.6));
    if (seen)
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right() + 12, y));
    painter.setFont(strongOf(painter.font()));
    const QRectF box = tagBox(line, painter.font());
    painter.setBrush(theme.card);
    painter.setPen(QPen(color, live ? 2.0 : 1.3));
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(color);
    painter.drawText(box.adjusted(9, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, tagText(line));
    const QPointF centre(box.right() - 12, box.center().y());
    painter.setBrush(color);
    painter.setPen(Qt::NoPen);
    for (const double way : {-1.0, 1.0})
        painter.drawPolygon(QPolygonF(
            {centre + QPointF(-3.5, way * 1.5), centre + QPointF(3.5, way * 1.5), centre + QPointF(0, way * 5.5)}));
}

/// Around the chosen mark; a plan that was not measured has its hollow mark only while it is chosen.
void HandlePainter::paintRing(QPainter &painter, const CurveMark &mark) const
{
    const QPointF at = pixelOf(mark);
    if (mark.kind == MarkKind::predicted && mark.family == MarkFamily::plan) {
        painter.setPen(QPen(theme.planMark, 1.5));
        painter.setBrush(theme.card);
        drawMark(painter, MarkFamily::plan, at);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawEllipse(at, kRing, kRing);
}

void HandlePainter::paintBudget(QPainter &painter, const BudgetLine &line, const std::optional<CurveMark> &chosen) const
{
    const QRectF seen = rect.adjusted(-1, -1, 1, 1);
    paintLevel(painter, line);
    const CurveMark *measured = curve.fastestMeasured(line.budget());
    if (measured && seen.contains(pixelOf(*measured))) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.text, 1.4));
        painter.drawEllipse(pixelOf(*measured), 8, 8);
    }
    const bool known = chosen && chosen->kind != MarkKind::failed;
    if (known && seen.contains(pixelOf(*chosen)))
        paintRing(painter, *chosen);
    const QString below = budgetText(line, chosen, curve);
    const double x = known ? std::clamp(pixelOf(*chosen).x(), rect.left(), rect.right()) : rect.left();
    if (line.tooSmall() || !chosen)
        paintBubble(painter, x, below, !line.tooSmall());
    else
        paintBubble(painter, x, handleText(*chosen, curve) + QLatin1Char('\n') + below, true);
}

void HandlePainter::paintSentence(QPainter &painter, const QString &text) const
{
    drawBubble(painter, {rect.left() + 8, rect.top() + 14}, text, rect.adjusted(0, 0, 12, 0), false, theme);
}

} // namespace remat::ui
