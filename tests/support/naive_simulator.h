// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "schedule/simulator.h"

namespace remat::tests {

/// Memory and forward count of a schedule, found by asking at every op and for every boundary ever made whether it is
/// still needed: quadratic, without state, and without the code under test. Only for valid schedules.
struct NaiveResult
{
    core::Bytes peak = 0;
    core::Bytes activationPeak = 0;
    int forwards = 0;       // forward executions of one micro-batch
    int mostBoundaries = 0; // most boundaries held at once, the input included
};
[[nodiscard]] NaiveResult naiveSimulation(const core::Schedule &schedule, const core::ChainCosts &costs);

/// N equal layers in the notation of the literature: `a` bytes kept for a layer (its output included), boundaries of `b`
/// bytes, forward time `f`, backward time `g`, no transients.
[[nodiscard]] core::ChainCosts homogeneousChain(int layers, core::Bytes a, core::Bytes b, bool graphKeepsOutput);

/// A schedule over blocks of two stages as one over N single-stage layers: a block's second stage stands for the block.
[[nodiscard]] core::Schedule oneStagePerLayer(const core::Schedule &schedule);

} // namespace remat::tests
