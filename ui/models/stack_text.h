// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "model/stage.h"
#include "models/stack_data.h"

namespace remat::ui {

/// The name of a band: a category, or a layer.
[[nodiscard]] QString seriesText(const StackSeries &series);

/// Everything about one state in a few lines: exact bytes, place, operator, and what is alive, the largest first.
[[nodiscard]] QString stateSummary(const StackData &stack, const core::Recording &recording, std::size_t state,
                                   const core::ChainShape &shape);

/// Times and totals as tab-separated text, at most 5,000 lines of which each is the highest of its stretch.
[[nodiscard]] QString stackTable(const StackData &stack, std::size_t first, std::size_t last);

} // namespace remat::ui
