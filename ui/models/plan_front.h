// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "schedule/chain_costs.h"
#include "schedule/strategy.h"

namespace remat::ui {

/// One of the fastest plans, and what the simulator says of it.
struct FrontPlan
{
    core::Schedule schedule;
    core::Bytes peak = 0; // everything counted: what a budget bounds
    core::Bytes activationPeak = 0;
    core::Nanoseconds stepNs = 0;
    int recomputedForwards = 0; // stage forwards beyond the first of each stage, one micro-batch
};

/// The fastest plans of a workload, from the smallest peak to the fastest: peaks rise, times fall. Made once by the
/// planner, then only read, which takes a binary search; never changed, so any thread may hold it.
struct PlanFront
{
    core::ChainCosts costs; // what was planned with
    core::ChainShape shape;
    std::vector<FrontPlan> plans; // never empty
    std::string bindingOp;        // the op that sets the smallest peak
    bool withOptions = false;     // the costs know every option that a planner may choose

    /// Null where no plan fits.
    [[nodiscard]] const FrontPlan *fastestWithin(core::Bytes budget) const;
    [[nodiscard]] core::Bytes smallest() const { return plans.front().peak; }
    /// From this budget on more memory makes no plan faster.
    [[nodiscard]] core::Bytes largest() const { return plans.back().peak; }
    /// What sets the smallest peak: "the working set of layer 3 · attention".
    [[nodiscard]] std::string bindingWords() const;
    /// The bytes that a `budget` strategy allows; empty for every other strategy.
    [[nodiscard]] std::optional<core::Bytes> budgetOf(const core::Strategy &strategy) const;
    /// The plan of a `budget` strategy; null for others, and where nothing fits.
    [[nodiscard]] const FrontPlan *planOf(const core::Strategy &strategy) const;
};

/// Runs the planner once: milliseconds to seconds, so not on the GUI thread. Errors are the planner's. (Its headers are for
/// the source file alone: plots need Qt's keywords, and `slots` is one.)
[[nodiscard]] core::Result<PlanFront> makeFront(core::ChainCosts costs, const core::ChainShape &shape,
                                                std::stop_token stop = {});

} // namespace remat::ui
