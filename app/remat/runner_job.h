// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interrupt.h"
#include "measure/runner_message.h"

namespace remat::app {

/// What became of a sweep that ran in a child.
struct SweepOutcome
{
    std::vector<core::Point> points; // in the order of the strategies
    bool cancelled = false;
};

/// Who hears of the events of a job as they come: the progress line.
using EventSink = std::function<void(const core::RunnerEvent &)>;

/// Runs a sweep in a child process, and in another one for the rest where the child dies; gives up after two deaths in
/// a row. `session` may be empty. Errors: the engine, the session, no child.
[[nodiscard]] core::Result<SweepOutcome> sweepInChild(const core::SweepPlan &plan, const std::string &session,
                                                      Interrupt &interrupt, const EventSink &sink);

/// Costs at the plan's workload, from a child that probes; nothing is stored. Errors also: does not fit, cancelled.
[[nodiscard]] core::Result<core::ChainCosts> probeInChild(const core::SweepPlan &plan, Interrupt &interrupt,
                                                          const EventSink &sink);

/// The same for a verification; a child that dies is an Error.
[[nodiscard]] core::Result<core::Verification> verifyInChild(const core::SweepPlan &plan, int steps,
                                                             Interrupt &interrupt, const EventSink &sink);

} // namespace remat::app
