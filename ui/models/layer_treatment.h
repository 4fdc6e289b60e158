// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <vector>

#include "model/stage.h"
#include "schedule/schedule.h"

namespace remat::ui {

/// What a schedule does with each block, by its number; all false without a schedule. A plain value.
struct LayerTreatment
{
    std::vector<bool> checkpoint; // its input is kept for a later forward
    std::vector<bool> rebuilt;    // its forward runs again
    std::vector<bool> partly;     // its saving forward drops something inside that the backward rebuilds
};
[[nodiscard]] LayerTreatment treatmentOf(const core::Schedule *schedule, const core::ChainShape &shape);

} // namespace remat::ui
