// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/stacked_bar.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "models/text.h"
#include "theme/hatch.h"

namespace remat::ui {

namespace {

constexpr double kBarHeight = 26.0;

/// Short, because the bar is narrow: "boundaries 7.0", "recomputed 29.1"; the unit stands in the number above.
QString shortName(core::Category category)
{
    switch (category) {
    case core::Category::boundary:
        return StackedBar::tr("boundaries");
    case core::Category::savedActivation:
        return StackedBar::tr("saved");
    case core::Category::recomputedActivation:
        return StackedBar::tr("recomputed");
    case core::Category::activationGradient:
        return StackedBar::tr("gradients");
    case core::Category::logitsAndLoss:
        return StackedBar::tr("logits");
    case core::Category::parameterGradient:
        return StackedBar::tr("weight gradients");
    case core::Category::optimizerState:
        return StackedBar::tr("optimizer");
    default:
        return categoryText(category);
    }
}

} // namespace

StackedBar::StackedBar(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("What is alive at the peak"));
}

void StackedBar::setParts(std::vector<PeakSummary::Part> parts)
{
    m_parts = std::move(parts);
    QStringList words;
    for (const PeakSummary::Part &part : m_parts)
        words += nameOf(part.category, false) + QLatin1Char(' ') + bytesText(part.bytes);
    setAccessibleDescription(words.join(QLatin1String(", ")));
    update();
}

QString StackedBar::nameOf(core::Category category, bool isShort) const
{
    if (m_names)
        return m_names(category);
    return isShort ? shortName(category) : categoryText(category);
}

QSize StackedBar::sizeHint() const
{
    return {260, static_cast<int>(kBarHeight) + 6 + 2 * QFontMetrics(themeFont(TextRole::small)).height()};
}

QSize StackedBar::minimumSizeHint() const
{
    return {160, sizeHint().height()};
}

std::vector<QRectF> StackedBar::boxes() const
{
    const auto total
        = std::accumulate(m_parts.begin(), m_parts.end(), 0.0, [](double sum, const PeakSummary::Part &part) {
              return sum + static_cast<double>(part.bytes);
          });
    std::vector<QRectF> result;
    double x = 0;
    const double room = width() - 2.0 * static_cast<double>(std::max<std::size_t>(1, m_parts.size()) - 1);
    for (const PeakSummary::Part &part : m_parts) {
        const double w = total > 0 ? std::max(1.0, static_cast<double>(part.bytes) / total * room) : 0;
        result.emplace_back(x, 0, w, kBarHeight);
        x += w + 2;
    }
    return result;
}

void StackedBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme &theme = Theme::of(palette());
    const std::vector<QRectF> all = boxes();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const FillStyle style = theme.category(m_parts[i].category);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fillBrush(style, devicePixelRatioF()));
        painter.drawRoundedRect(all[i], all[i].width() > 6 ? 2 : 0, 2);
    }
    painter.setFont(themeFont(TextRole::small));
    painter.setPen(theme.secondary);
    const QFontMetricsF metrics(painter.font());
    std::vector<std::size_t> order(m_parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return m_parts[a].bytes > m_parts[b].bytes; });
    std::vector<QRectF> taken;
    for (const std::size_t i : order) {
        const QString text = nameOf(m_parts[i].category, true) + QLatin1Char(' ') + bytesText(m_parts[i].bytes);
        const double w = metrics.horizontalAdvance(text);
        QRectF box(all[i].center().x() - w / 2, kBarHeight + 4, w, metrics.height());
        box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - w)));
        const auto hits = [&](const QRectF &candidate) {
            return std::any_of(taken.begin(), taken.end(),
                               [&](const QRectF &other) { return other.adjusted(-8, 0, 8, 0).intersects(candidate); });
        };
        if (hits(box))
            box.translate(0, metrics.height() + 1);
        if (hits(box) || box.bottom() > height())
            continue;
        taken.push_back(box);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

bool StackedBar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const std::vector<QRectF> all = boxes();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].adjusted(-1, 0, 1, 0).contains(help->pos())) {
                QToolTip::showText(help->globalPos(),
                                   nameOf(m_parts[i].category, false) + QLatin1Char('\n') + bytesText(m_parts[i].bytes)
                                       + QStringLiteral(" · ") + exactBytesText(m_parts[i].bytes),
                                   this);
                return true;
            }
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace remat::ui
