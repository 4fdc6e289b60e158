// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QRectF>

namespace remat::ui {

/// A label that wants to stand beside a mark. A higher priority is placed first; an empty size is a mark without label,
/// which others keep clear of.
struct LabelWish
{
    QPointF anchor;
    QSizeF size;
    double left = 0.0; // how far the mark itself reaches to both sides, its spread included
    double right = 0.0;
    int priority = 0;
};

/// Places labels right of their marks, else left, else above or below; never over a mark (radius `clearance`), another
/// label, or the border. A label that finds no room is a null rectangle: the less important one gives way. The result
/// is in the order of the wishes. `obstacles` are kept free as well.
[[nodiscard]] std::vector<QRectF> placeLabels(const std::vector<LabelWish> &wishes, const QRectF &bounds,
                                              double clearance, const std::vector<QRectF> &obstacles = {});

} // namespace remat::ui
