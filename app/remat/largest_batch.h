// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "measure/sweep_loop.h"

namespace remat::app {

/// `--batch max`: for each of the plan's strategies the largest batch whose predicted peak fits the workload's memory
/// budget is looked for (costs are probed at the batches in question), measured, and shown with the tokens per second.
/// Prints table or document; returns the exit code.
[[nodiscard]] int runLargestBatches(const core::SweepPlan &plan, const std::string &session, bool json);

} // namespace remat::app
