// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/plot_axes.h"

#include <cmath>

#include "models/text.h"
#include "plots/plot_frame.h"
#include "theme/theme.h"

namespace remat::ui {

double BinaryTicker::getTickStep(const QCPRange &range)
{
    const double wanted = range.size() / (mTickCount + 1e-10);
    return std::exp2(std::ceil(std::log2(std::max(wanted, 1.0)) - 0.2));
}

int BinaryTicker::getSubTickCount(double)
{
    return 0;
}

QVector<QString> BinaryTicker::createLabelVector(const QVector<double> &ticks, const QLocale &locale, QChar formatChar,
                                                 int precision)
{
    m_largest = 0.0;
    for (const double tick : ticks)
        m_largest = std::max(m_largest, std::abs(tick));
    return QCPAxisTicker::createLabelVector(ticks, locale, formatChar, precision);
}

QString BinaryTicker::getTickLabel(double tick, const QLocale &locale, QChar, int)
{
    static const char *const kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double divisor = 1.0;
    while (unit < 4 && m_largest / divisor >= 1024.0) {
        divisor *= 1024.0;
        ++unit;
    }
    return locale.toString(tick / divisor, 'g', 5) + QLatin1Char(' ') + QLatin1String(kUnits[unit]);
}

int TimeTicker::getSubTickCount(double)
{
    return 0;
}

QString TimeTicker::getTickLabel(double tick, const QLocale &locale, QChar, int)
{
    if (std::abs(tick) < 1e-12)
        tick = 0.0;
    switch (m_kind) {
    case Kind::factor:
        return QStringLiteral("×")
            + locale.toString(tick, 'f', std::abs(tick * 10 - std::round(tick * 10)) < 1e-6 ? 1 : 2);
    case Kind::milliseconds:
        return durationText(static_cast<core::Nanoseconds>(std::llround(tick * 1e6)));
    case Kind::nanoseconds:
        return tick <= 0 ? QStringLiteral("0") : durationText(static_cast<core::Nanoseconds>(std::llround(tick)));
    case Kind::count:
        return locale.toString(std::llround(tick));
    }
    return {};
}

PaintedLayerable::PaintedLayerable(QCustomPlot *plot, const QString &layer, Paint paint)
    : QCPLayerable(plot, layer), m_paint(std::move(paint))
{
}

void PaintedLayerable::applyDefaultAntialiasingHint(QCPPainter *painter) const
{
    painter->setAntialiasing(true);
}

void PaintedLayerable::draw(QCPPainter *painter)
{
    m_paint(*painter);
}

QRect PaintedLayerable::clipRect() const
{
    return mParentPlot->viewport();
}

void dressPlot(QCustomPlot &plot, const Theme &theme)
{
    plot.setBackground(QBrush(theme.card));
    const QFont small = themeFont(TextRole::small);
    plot.setFont(small);
    for (QCPAxisRect *rect : plot.axisRects()) {
        rect->setAutoMargins(QCP::msNone);
        rect->setMargins(plotMargins(small));
        for (QCPAxis *axis : rect->axes()) {
            axis->setBasePen(Qt::NoPen);
            axis->setTickPen(Qt::NoPen);
            axis->setSubTickPen(Qt::NoPen);
            axis->setTickLabelFont(small);
            axis->setTickLabelColor(theme.secondary);
            axis->setLabelFont(small);
            axis->setLabelColor(theme.secondary);
            axis->setSelectableParts(QCPAxis::spNone);
            axis->setTickLabelPadding(7);
            axis->grid()->setPen(QPen(theme.grid, 1));
            axis->grid()->setZeroLinePen(QPen(theme.hairline, 1));
        }
    }
}

void replotOverlay(QCustomPlot &plot)
{
    if (!plot.viewport().isEmpty() && plot.isVisible())
        plot.layer(QLatin1String(kOverlayLayer))->replot();
}

void addOverlayLayer(QCustomPlot &plot)
{
    plot.addLayer(QLatin1String(kOverlayLayer));
    plot.layer(QLatin1String(kOverlayLayer))->setMode(QCPLayer::lmBuffered);
}

} // namespace remat::ui
