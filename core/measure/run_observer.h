// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measure/point.h"
#include "measure/recording.h"
#include "schedule/chain_costs.h"
#include "schedule/schedule.h"

namespace remat::core {

/// Where a sweep stands.
struct Progress
{
    std::string phase; // "preparing", "probing", "proof", "warm-up", "timing", "recording", "saving"
    std::string strategy;
    int run = 0; // runs finished
    int runs = 0;
    int step = 0; // steps done of this phase, all runs together
    int steps = 0;
    Nanoseconds remaining = -1; // estimate; -1: unknown
};

/// A finished run with everything that is stored of it. The recording is empty where nothing was recorded.
struct FinishedRun
{
    Point point;
    Schedule schedule;
    Recording recording;
};

/// Who hears of a sweep: session writer, runner messages, console, tests. Called on the sweep's thread, in order.
class RunObserver
{
public:
    virtual ~RunObserver() = default;

    virtual void progress(const Progress &progress) = 0;

    /// Costs were probed; comes once, before the first run.
    virtual Result<void> costs(const ChainCosts &costs) = 0;

    /// The run with this strategy starts to be worked on; returns its id in the session.
    virtual Result<std::int64_t> started(const Point &point, const Schedule &schedule) = 0;

    /// A run is final, whatever its status. An error (disk full) ends the sweep.
    virtual Result<void> finished(const FinishedRun &run) = 0;
};

} // namespace remat::core
