// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/label_layout.h"

#include <algorithm>
#include <numeric>

namespace remat::ui {

namespace {

bool isFree(const QRectF &box, std::size_t own, const std::vector<LabelWish> &wishes, const std::vector<QRectF> &placed,
            double clearance)
{
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const QPointF mark = wishes[i].anchor;
        const double left = std::max(clearance, wishes[i].left), right = std::max(clearance, wishes[i].right);
        const double half = i == own ? 0 : clearance;
        const QRectF around(mark.x() - left, mark.y() - std::max(half, 4.0), left + right, 2 * std::max(half, 4.0));
        if (box.intersects(around))
            return false;
    }
    return std::none_of(placed.begin(), placed.end(), [&](const QRectF &other) { return other.intersects(box); });
}

} // namespace

std::vector<QRectF> placeLabels(const std::vector<LabelWish> &wishes, const QRectF &bounds, double clearance,
                                const std::vector<QRectF> &obstacles)
{
    std::vector<std::size_t> order(wishes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wishes[a].priority > wishes[b].priority; });
    std::vector<QRectF> result(wishes.size());
    std::vector<QRectF> placed = obstacles;
    const double gap = clearance + 6;
    for (const std::size_t i : order) {
        if (wishes[i].size.isEmpty())
            continue;
        const QPointF at = wishes[i].anchor;
        const double w = wishes[i].size.width(), h = wishes[i].size.height();
        const QRectF candidates[] = {
            {at.x() + std::max(gap, wishes[i].right + 6), at.y() - h / 2, w, h},
            {at.x() - std::max(gap, wishes[i].left + 6) - w, at.y() - h / 2, w, h},
            {at.x() - w / 2, at.y() - gap - h, w, h},
            {at.x() - w / 2, at.y() + gap, w, h},
        };
        for (const QRectF &box : candidates) {
            if (bounds.contains(box) && isFree(box, i, wishes, placed, clearance)) {
                result[i] = box;
                placed.push_back(box);
                break;
            }
        }
    }
    return result;
}

} // namespace remat::ui
