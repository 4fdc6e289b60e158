// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QPainter>

#include "models/curve_data.h"
#include "theme/theme.h"

namespace remat::ui {

/// The shape of a family's mark around a point, with the painter's pen and brush, and its colour: never the only sign.
void drawMark(QPainter &painter, MarkFamily family, QPointF at);
[[nodiscard]] QColor markColor(MarkFamily family, const Theme &theme);

/// Draws lines, marks and labels of a curve. Pure painting: the plot says where a mark stands.
struct CurvePainter
{
    const CurveData &curve;
    const Theme &theme;
    HandleMode mode;
    QString chosen;
    QRectF bounds;
    std::vector<QRectF> obstacles; // what names keep clear of: the handle
    std::function<QPointF(double time, double bytes)> toPixel;

    void paint(QPainter &painter) const;

private:
    [[nodiscard]] bool shown(const CurveMark &mark) const;
    [[nodiscard]] QColor colorOf(const CurveMark &mark) const;
    void paintLine(QPainter &painter, HandleMode lineMode) const;
    void paintBest(QPainter &painter) const;
    [[nodiscard]] QString bestText() const;
    [[nodiscard]] QPolygonF seenOfBest() const;
    [[nodiscard]] QRectF bestBox(const std::vector<QRectF> &taken, const QSizeF &size) const;
    void paintMark(QPainter &painter, const CurveMark &mark) const;
    void paintLabels(QPainter &painter) const;
};

} // namespace remat::ui
