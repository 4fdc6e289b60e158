// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "measure/training_backend.h"

namespace remat::bench {

/// One entry of a file of modes such as peer_modes.json.
struct Mode
{
    core::ModelConfig model;
    core::Workload workload;
    std::vector<std::string> plans;
};

/// One whole step; the end of the program where it is not done.
[[nodiscard]] core::StepOutcome stepOrExit(core::PreparedWorkload &workload, const core::Schedule &schedule);

/// {"PLAN":{"peak_bytes","predicted_peak_bytes","differing_elements","ns":[…],"predicted_ns":[…]}…}. Budgets are planned
/// from a whole probe; then every round probes again, with few rounds of its own, and runs one step of each plan in random
/// order: what slows the machine down falls on all of them, and on the predictions.
[[nodiscard]] core::Json pairedTimes(core::TrainingBackend &backend, const Mode &mode, int rounds);

} // namespace remat::bench
