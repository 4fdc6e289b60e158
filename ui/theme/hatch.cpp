// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "theme/hatch.h"

#include <algorithm>
#include <cmath>

namespace remat::ui {

QImage fillTile(const FillStyle &style, double devicePixelRatio)
{
    const int size = std::max(4, static_cast<int>(std::lround(6.0 * devicePixelRatio)));
    QImage tile(size, size, QImage::Format_ARGB32_Premultiplied);
    tile.fill(style.fill);
    if (!style.hatched)
        return tile;
    const int stroke = std::max(1, static_cast<int>(std::lround(1.2 * devicePixelRatio)));
    const QColor line = style.fill.darker(165);
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            if ((x + y) % size < stroke)
                tile.setPixelColor(x, y, line);
        }
    }
    return tile;
}

QBrush fillBrush(const FillStyle &style, double devicePixelRatio)
{
    if (!style.hatched)
        return style.fill;
    QBrush brush(fillTile(style, devicePixelRatio));
    brush.setTransform(QTransform::fromScale(1.0 / devicePixelRatio, 1.0 / devicePixelRatio));
    return brush;
}

} // namespace remat::ui
