// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "measure/run_observer.h"
#include "measure/training_backend.h"
#include "schedule/strategy.h"

namespace remat::core {

/// One model, one workload, several strategies, measured interleaved.
struct SweepPlan
{
    ModelConfig model;
    Workload workload; // resolved
    std::vector<Strategy> strategies;
    int repeats = 0; // 0: until the stopping rule is met
};

/// The option ids that the plan's schedules use, ascending, each once: what a probe is asked for.
[[nodiscard]] Result<std::vector<std::string>> optionsOf(const SweepPlan &plan);

/// How the timed steps of a sweep end: at least 5, until interquartile range / median <= 2 %, at most 30 steps or 60 s
/// a run.
struct StoppingRule
{
    int least = 5;
    int most = 30;
    Nanoseconds longest = 60'000'000'000;
    double spread = 0.02;

    [[nodiscard]] bool enough(const std::vector<Nanoseconds> &steps) const;
};

/// Measures a sweep: probe, proof, warm-up, interleaved timed steps, one recorded step a run (design of a point).
/// Synchronous; asks `stop` before every step. Returns the points in the order of the strategies. An Error means that
/// the sweep as a whole could not go on; out of memory of one run is a point.
[[nodiscard]] Result<std::vector<Point>> runSweep(const SweepPlan &plan, TrainingBackend &backend,
                                                  RunObserver &observer, std::stop_token stop);

} // namespace remat::core
