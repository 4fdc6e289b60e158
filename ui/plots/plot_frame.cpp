// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/plot_frame.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>

#include "theme/theme.h"

namespace remat::ui {

QMargins plotMargins(const QFont &font)
{
    const QFontMetricsF metrics(font);
    return {static_cast<int>(metrics.horizontalAdvance(QStringLiteral("1024 MiB"))) + 14, 8, 14,
            static_cast<int>(metrics.height()) + 10};
}

QRectF drawBubble(QPainter &painter, QPointF anchor, const QString &text, const QRectF &bounds, bool accent,
                  const Theme &theme)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF words = metrics.boundingRect(QRectF(0, 0, 4000, 4000), Qt::AlignLeft | Qt::TextExpandTabs, text);
    QRectF box(anchor.x(), anchor.y() - words.height() / 2 - 4, words.width() + 18, words.height() + 8);
    box.moveLeft(std::max(bounds.left(), std::min(box.left(), bounds.right() - box.width())));
    box.moveTop(std::max(bounds.top(), std::min(box.top(), bounds.bottom() - box.height())));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(accent ? theme.accent : theme.bubble);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(accent ? theme.onAccent : theme.bubbleText);
    painter.drawText(box.adjusted(9, 4, -9, -4), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextExpandTabs, text);
    return box;
}

} // namespace remat::ui
