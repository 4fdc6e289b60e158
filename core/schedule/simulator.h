// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "schedule/chain_costs.h"
#include "schedule/liveness.h"

namespace remat::core {

/// One op of a simulated step. Bytes are totals, static part included; the activation twins leave out everything that
/// is no activation (parameters, gradients, optimizer state, inputs).
struct SimulatedOp
{
    int op = -1; // index into schedule.ops; -1 for the optimizer
    int microBatch = 0;
    Bytes heldBefore = 0;
    Bytes peak = 0;
    Bytes heldAfter = 0;
    Bytes activationBefore = 0;
    Bytes activationPeak = 0;
    Bytes activationAfter = 0;
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
};

/// A predicted step: every op with its memory, and the sums. Held = static part + gradients so far + boundaries held or
/// pinned + saved bytes of live graphs + the one gradient in flight; an op's peak = held + its transient.
struct Simulation
{
    std::vector<SimulatedOp> ops;
    Bytes peak = 0;
    int peakIndex = -1; // into `ops` above, the first that reaches the peak
    Bytes activationPeak = 0;
    int activationPeakIndex = -1;
    Nanoseconds stepNs = 0;
    Nanoseconds extraForwardNs = 0; // forward time beyond one run of each stage, one micro-batch
    int recomputedForwards = 0;     // stage forwards beyond the first of each stage, one micro-batch
    int keptBoundaries = 0;         // checkpoints
};

/// The op that sets the peak, as the schedule spells it; "optimizer" for what follows the schedule.
[[nodiscard]] std::string peakOp(const Schedule &schedule, const Simulation &simulation);

/// Runs a valid schedule on costs. Errors: schedule invalid, stage counts differ, unknown option.
[[nodiscard]] Result<Simulation> simulate(const Schedule &schedule, const ChainCosts &costs);

} // namespace remat::core
