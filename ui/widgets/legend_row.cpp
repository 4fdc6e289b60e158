// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/legend_row.h"

#include <QPainter>

#include "models/text.h"
#include "theme/hatch.h"

namespace remat::ui {

LegendRow::LegendRow(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Legend"));
}

void LegendRow::setSeries(std::vector<StackSeries> series)
{
    m_series = std::move(series);
    QStringList names;
    for (const StackSeries &s : m_series)
        names += categoryText(s.category);
    setAccessibleDescription(names.join(QLatin1String(", ")));
    setToolTip(names.join(QLatin1Char('\n')));
    if (width() > 0)
        setFixedHeight(heightForWidth(width()));
    update();
}

std::vector<QPointF> LegendRow::places(double width) const
{
    const QFontMetricsF metrics(themeFont(TextRole::small));
    std::vector<QPointF> result;
    double x = 4, y = 0;
    for (const StackSeries &series : m_series) {
        const double own = 17 + metrics.horizontalAdvance(categoryText(series.category));
        if (x > 4 && x + own > width) {
            x = 4;
            y += metrics.height() + 3;
        }
        result.emplace_back(x, y);
        x += own + 16;
    }
    return result;
}

/// One row where there is room, else as many as it takes.
int LegendRow::heightForWidth(int width) const
{
    const auto all = places(width);
    return (all.empty() ? 0 : static_cast<int>(all.back().y())) + QFontMetrics(themeFont(TextRole::small)).height() + 2;
}

void LegendRow::resizeEvent(QResizeEvent *)
{
    setFixedHeight(heightForWidth(width()));
}

QSize LegendRow::sizeHint() const
{
    return {300, QFontMetrics(themeFont(TextRole::small)).height() + 2};
}

QSize LegendRow::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void LegendRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(themeFont(TextRole::small));
    const Theme &theme = Theme::of(palette());
    const QFontMetricsF metrics(painter.font());
    const std::vector<QPointF> all = places(width());
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const QString name = categoryText(m_series[i].category);
        const FillStyle style = theme.category(m_series[i].category);
        const double middle = all[i].y() + metrics.height() / 2 + 1;
        painter.setPen(QPen(style.edge, 1));
        painter.setBrush(fillBrush(style, devicePixelRatioF()));
        painter.drawRoundedRect(QRectF(all[i].x() + 0.5, middle - 5, 10, 10), 2, 2);
        painter.setPen(theme.secondary);
        painter.drawText(QPointF(all[i].x() + 16, middle + metrics.ascent() / 2 - 1.5), name);
    }
}

} // namespace remat::ui
