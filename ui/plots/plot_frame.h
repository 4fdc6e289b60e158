// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QRectF>

class QFont;
class QPainter;
class QString;

namespace remat::ui {

struct Theme;

/// The margins of every plot, so that plots, strips and overviews below each other share one time axis.
[[nodiscard]] QMargins plotMargins(const QFont &font);

/// Draws a filled label with rounded corners; returns the rectangle it took. `anchor` is its left centre; it moves to
/// stay within `bounds`.
QRectF drawBubble(QPainter &painter, QPointF anchor, const QString &text, const QRectF &bounds, bool accent,
                  const Theme &theme);

} // namespace remat::ui
