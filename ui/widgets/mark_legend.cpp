// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/mark_legend.h"

#include <algorithm>

#include <QPainter>

#include "plots/curve_painter.h"
#include "theme/theme.h"

namespace remat::ui {

namespace {

constexpr double kInset = 8.0; // from the title beside it

} // namespace

MarkLegend::MarkLegend(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("Legend of the marks"));
}

void MarkLegend::setCurve(const CurveData &curve)
{
    m_entries.clear();
    const std::pair<MarkFamily, QString> families[] = {{MarkFamily::every, tr("every N")},
                                                       {MarkFamily::segments, tr("segments of K")},
                                                       {MarkFamily::selective, tr("selective")},
                                                       {MarkFamily::plan, tr("plans")},
                                                       {MarkFamily::other, tr("other rules")}};
    const auto has = [&](auto test) { return std::any_of(curve.marks.begin(), curve.marks.end(), test); };
    for (const auto &[family, name] : families) {
        if (has([wanted = family](const CurveMark &m) { return m.family == wanted && m.kind != MarkKind::failed; }))
            m_entries.push_back({family, false, name});
    }
    if (has([](const CurveMark &m) { return m.kind == MarkKind::predicted; }))
        m_entries.push_back({MarkFamily::segments, true, tr("predicted")});
    setToolTip(names().join(u'\n')
               + tr("\nPlans are the planner's choice for a budget; the dashed grey line is what it predicts."
                    "\nSelective strategies drop something inside the blocks and rebuild it in the backward."));
    setAccessibleDescription(names().join(QLatin1String(", ")));
    fitHeight();
    update();
}

QStringList MarkLegend::names() const
{
    QStringList list;
    for (const Entry &entry : m_entries)
        list += entry.name;
    return list;
}

QSize MarkLegend::sizeHint() const
{
    return {260, QFontMetrics(themeFont(TextRole::small)).height() + 2};
}

QSize MarkLegend::minimumSizeHint() const
{
    return {0, sizeHint().height()};
}

std::vector<QPointF> MarkLegend::places() const
{
    const QFontMetricsF metrics(themeFont(TextRole::small));
    std::vector<QPointF> result;
    double x = kInset, y = 0;
    for (const Entry &entry : m_entries) {
        const double own = 15 + metrics.horizontalAdvance(entry.name);
        if (x > kInset && x + own > width()) {
            x = kInset;
            y += metrics.height() + 3;
        }
        if (x + own > width() || y > 1.5 * metrics.height())
            break;
        result.emplace_back(x, y);
        x += own + 14;
    }
    return result;
}

void MarkLegend::fitHeight()
{
    const auto all = places();
    setFixedHeight((all.empty() ? 0 : static_cast<int>(all.back().y())) + sizeHint().height());
}

void MarkLegend::resizeEvent(QResizeEvent *)
{
    fitHeight();
}

void MarkLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(themeFont(TextRole::small));
    const Theme &theme = Theme::of(palette());
    const double line = QFontMetricsF(painter.font()).height() + 2;
    const std::vector<QPointF> all = places();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Entry &entry = m_entries[i];
        const QColor color = markColor(entry.family, theme);
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(entry.hollow ? theme.card : color);
        drawMark(painter, entry.family, {all[i].x() + 6, all[i].y() + line / 2});
        painter.setPen(theme.secondary);
        painter.drawText(QRectF(all[i].x() + 15, all[i].y(), width(), line), Qt::AlignVCenter | Qt::AlignLeft,
                         entry.name);
    }
}

} // namespace remat::ui
