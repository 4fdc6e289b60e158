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
    update();
}

QSize LegendRow::sizeHint() const
{
    return {300, QFontMetrics(themeFont(TextRole::small)).height() + 2};
}

QSize LegendRow::minimumSizeHint() const
{
    return {40, sizeHint().height()};
}

void LegendRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(themeFont(TextRole::small));
    const Theme &theme = Theme::of(palette());
    const QFontMetricsF metrics(painter.font());
    double x = 4;
    for (const StackSeries &series : m_series) {
        const QString name = categoryText(series.category);
        const double width = 17 + metrics.horizontalAdvance(name);
        if (x + width > this->width())
            break;
        const FillStyle style = theme.category(series.category);
        painter.setPen(QPen(style.edge, 1));
        painter.setBrush(fillBrush(style, devicePixelRatioF()));
        painter.drawRoundedRect(QRectF(x + 0.5, height() / 2.0 - 5, 10, 10), 2, 2);
        painter.setPen(theme.secondary);
        painter.drawText(QPointF(x + 16, height() / 2.0 + metrics.ascent() / 2 - 1.5), name);
        x += width + 16;
    }
}

} // namespace remat::ui
