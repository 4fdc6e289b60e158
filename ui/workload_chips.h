// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "model/workload.h"
#include "widgets/chip_bar.h"

namespace remat::ui {

/// A model and its workload as chips, the most telling first; ids are fields of the setup.
[[nodiscard]] std::vector<ChipBar::Chip> workloadChips(const core::ModelConfig &model, const core::Workload &workload);

} // namespace remat::ui
