// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <QString>

#include "measure/point.h"
#include "model/stage.h"
#include "models/plan_front.h"
#include "models/selection.h"
#include "schedule/chain_costs.h"

namespace remat::ui {

/// Measured and predicted are never drawn alike; a run that failed is a mark with its reason.
enum class MarkKind { measured, predicted, failed };
/// selective: whatever drops and rebuilds tensors inside its blocks; such points lie on no line of the handle. plan: what
/// the planner chose for a budget.
enum class MarkFamily { none, every, segments, selective, plan, other };

/// One mark of the curve. `time` is relative to no checkpointing, or milliseconds where nothing to relate to is known.
struct CurveMark
{
    QString strategy;
    MarkFamily family = MarkFamily::other;
    int value = 0; // N of every:N, K of segments:K, 0 off their lines
    MarkKind kind = MarkKind::predicted;
    double time = 0.0;
    double timeLow = 0.0; // quartiles; equal to time where predicted
    double timeHigh = 0.0;
    core::Bytes bytes = 0;   // on the memory axis
    core::Bytes peak = -1;   // everything counted, which is what a budget bounds; -1 where not known
    core::Bytes budget = -1; // of a plan
    QString reason;          // of a failed run
};

/// All marks of a workload, ready to draw. A plain value.
struct CurveData
{
    std::vector<CurveMark> marks;
    /// Where the simulator puts every value of each mode, measured or not: time and bytes in the order of the stops.
    std::array<std::vector<std::pair<double, core::Bytes>>, 2> predicted;
    bool relative = false;
    core::Nanoseconds unit = 1'000'000; // nanoseconds of time 1.0
    int layers = 0;

    /// The fastest plans, and where they stand on the axes; without them as long as nothing is planned.
    std::shared_ptr<const PlanFront> front;
    std::vector<std::pair<double, core::Bytes>> best;
    MemoryAxis axis = MemoryAxis::activations;
    double predictedUnit = 1e6; // predicted nanoseconds of time 1.0

    [[nodiscard]] const CurveMark *find(const QString &strategy) const;
    /// The mark, or for a budget that is none the prediction for its plan.
    [[nodiscard]] std::optional<CurveMark> markFor(const QString &strategy) const;
    /// What the memory axis does not show of a budget: what is held throughout.
    [[nodiscard]] core::Bytes belowAxis() const;
    /// The fastest measured mark whose peak is within a budget, of equally fast ones the smallest; null where there is none.
    [[nodiscard]] const CurveMark *fastestMeasured(core::Bytes budget) const;
    /// Are the plans the best possible on the memory axis? They are for all that is counted; by activations alone another
    /// schedule may be better where weight gradients grow while activations go.
    [[nodiscard]] bool bestOnAxis() const;
};

struct CurveInput
{
    const std::vector<core::Point> &points;
    const std::optional<core::ChainCosts> &costs;
    core::ChainShape shape;
    MemoryAxis axis = MemoryAxis::activations;
    std::shared_ptr<const PlanFront> front = nullptr;
};

/// Measured points, and predictions by the simulator for every other value of N and K. Peaks come from the same
/// simulator that the program trusts everywhere; predicted times are scaled by measured ÷ predicted time of "none".
[[nodiscard]] CurveData buildCurve(const CurveInput &input);

/// Where a strategy belongs; `other` for what cannot be read.
[[nodiscard]] MarkFamily familyOf(const QString &strategy);

/// Marks on the line of a mode in the order of its value; "none" ends the line of every:N, plans are on no line.
[[nodiscard]] std::vector<const CurveMark *> lineOf(const CurveData &curve, HandleMode mode);

/// The strategies at which the handle may rest, in the order of the keys: 1 … layers, then "none" for every:N. A budget
/// line has none, see BudgetLine.
[[nodiscard]] QStringList handleStops(HandleMode mode, int layers);

/// What the handle says of itself: "segments of 4 · 3 segments, last one 2 layers", "every 4th · 3 of 12 layers recomputed".
[[nodiscard]] QString handleMeaning(const QString &strategy, int layers);

} // namespace remat::ui
