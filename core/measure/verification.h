// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "measure/run_observer.h"
#include "measure/sweep_loop.h"
#include "measure/training_backend.h"

namespace remat::core {

/// What `remat verify` finds: a schedule beside its reference, gradients once and losses step by step.
struct Verification
{
    std::string strategy;
    std::string reference;
    int steps = 0;
    std::int64_t differingElements = 0;
    double maxAbsDiff = 0.0;
    std::string why; // what differs
    std::vector<double> referenceLosses;
    std::vector<double> scheduleLosses;

    /// No gradient element differs and every loss is the same bit pattern.
    [[nodiscard]] bool equal() const;
};
[[nodiscard]] Json toJson(const Verification &verification);
[[nodiscard]] Result<Verification> verificationFromJson(const Json &json);

/// Proves the plan's first strategy against `none` (where that does not fit: `every:1`), then trains `steps` steps with
/// each from the same start and compares the losses. Errors: cancelled, does not fit, engine.
[[nodiscard]] Result<Verification> verifySchedule(const SweepPlan &plan, int steps, TrainingBackend &backend,
                                                  const std::function<void(const Progress &)> &progress,
                                                  std::stop_token stop);

} // namespace remat::core
