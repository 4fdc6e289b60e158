// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QPainter>

#include "models/budget_line.h"
#include "theme/theme.h"

namespace remat::ui {

/// Draws what moves: the handle on a value of N or K, or the budget line with the plan that it allows. Pure painting, on
/// the overlay of the plot, which says where a mark stands.
struct HandlePainter
{
    const CurveData &curve;
    const Theme &theme;
    QRectF rect; // of the axes
    bool live;   // held, or with the keyboard's focus
    std::function<QPointF(double time, double bytes)> toPixel;

    /// The upright line through a mark, and what it stands for.
    void paintValue(QPainter &painter, const CurveMark &mark) const;
    /// The level line, the plan within it (empty: none is known) and the fastest measured mark below it.
    void paintBudget(QPainter &painter, const BudgetLine &line, const std::optional<CurveMark> &chosen) const;
    /// What names of marks keep clear of.
    [[nodiscard]] std::vector<QRectF> obstaclesOfValue(const CurveMark &mark) const;
    [[nodiscard]] std::vector<QRectF> obstaclesOfBudget(const BudgetLine &line, const QFont &font) const;
    /// Instead of a line, why there is none.
    void paintSentence(QPainter &painter, const QString &text) const;

private:
    [[nodiscard]] QString tagText(const BudgetLine &line) const;
    [[nodiscard]] QRectF tagBox(const BudgetLine &line, const QFont &font) const;
    void paintLevel(QPainter &painter, const BudgetLine &line) const;
    void paintRing(QPainter &painter, const CurveMark &mark) const;
    void paintBubble(QPainter &painter, double x, const QString &text, bool accent) const;
    [[nodiscard]] QPointF pixelOf(const CurveMark &mark) const
    {
        return toPixel(mark.time, static_cast<double>(mark.bytes));
    }
};

/// What the handle says of a mark: its meaning, memory, time with spread, and whether that is predicted.
[[nodiscard]] QString handleText(const CurveMark &mark, const CurveData &curve);
/// What is said of the line: why nothing fits, or the fastest measured mark within it and whether a plan is predicted to be
/// faster.
[[nodiscard]] QString budgetText(const BudgetLine &line, const std::optional<CurveMark> &plan, const CurveData &curve);

} // namespace remat::ui
