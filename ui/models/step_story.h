// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include <QString>

#include "model/stage.h"
#include "models/curve_data.h"
#include "models/selection.h"
#include "models/stack_data.h"

namespace remat::ui {

/// What is alive at the peak of a recorded step, and where in the step that is. A plain value.
struct PeakSummary
{
    struct Part
    {
        core::Category category = core::Category::other;
        core::Bytes bytes = 0;
    };
    std::vector<Part> parts; // in stacking order, empty ones left out
    core::Bytes bytes = 0;
    core::Phase phase = core::Phase::other;
    int layer = -1;
    core::Nanoseconds ns = 0;
    std::size_t state = 0; // of the stack
    QString where;         // "recomputing layers 10–11"
};
[[nodiscard]] PeakSummary peakSummary(const core::Recording &recording, MemoryAxis axis, const core::ChainShape &shape);

/// The name of what an op works on: "layer 3, feed-forward", "head and loss", "optimizer".
[[nodiscard]] QString placeText(const core::OpRecord &op, const core::ChainShape &shape);

/// One sentence about the state of a stack, for tool tips: exact bytes, place, phase, operator.
[[nodiscard]] QString stateText(const core::Recording &recording, std::size_t state, const core::ChainShape &shape);

/// One true sentence worth knowing, and the strategy that a button may show (empty: none).
struct Advice
{
    QString text;
    QString strategy;
};
/// At most two, the most useful first; each derived from measured points, a recording or the simulator's predictions.
[[nodiscard]] std::vector<Advice> adviceFor(const QString &strategy, const CurveData &curve, MemoryAxis axis,
                                            const PeakSummary *peak);

} // namespace remat::ui
