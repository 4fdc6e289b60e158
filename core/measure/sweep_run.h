// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "measure/paging.h"
#include "measure/run_observer.h"
#include "measure/sweep_loop.h"
#include "measure/training_backend.h"

namespace remat::core {

/// One run of a sweep while it is worked on. Private to the sweep loop.
struct SweepRun
{
    Strategy strategy;
    Schedule schedule;
    Point point;
    Recording recording;
    std::vector<StepSplit> splits; // of the timed steps
    PagingSigns paging;            // while they ran
    int warmSteps = 0;
    int skippedSteps = 0;
    bool started = false;
    bool final = false;
};

/// True where the run needs no more timed steps: `repeats` of them, or (0) as many as the stopping rule wants.
[[nodiscard]] bool hasEnough(const SweepRun &run, int repeats);

/// Timed steps that were done, and as many as there will be at least.
[[nodiscard]] std::pair<int, int> timedOf(const std::vector<SweepRun> &runs, int repeats);

/// The least that is still to do: steps up to the rule's minimum and one recorded step a run, at the time of the last;
/// -1 while a run has no step yet.
[[nodiscard]] Nanoseconds remainingOf(const std::vector<SweepRun> &runs, int repeats);

/// Gives a run with a budget its schedule; leaves others as they are. doesNotFit: no schedule keeps it, or no costs.
[[nodiscard]] Result<void> planBudget(SweepRun &run, const SweepPlan &plan, const std::optional<ChainCosts> &costs);

/// Fills what is known before anything runs: the workload's columns, and the prediction where there are costs.
void describe(SweepRun &run, const SweepPlan &plan, const std::optional<ChainCosts> &costs);

/// Turns the timed steps and the recorded step into the point's numbers.
void conclude(SweepRun &run, const SweepPlan &plan, const RecordedStep &recorded);

/// Checks every open run against one reference, before the first update. Where neither `none` nor `every:1` fits, the
/// reference is `none` on the deepest sibling that does, and `prepared` is made anew afterwards.
class ProofStage
{
public:
    /// Told before each run's proof; false ends the stage (cancelled).
    using Before = std::function<Result<bool>(SweepRun &)>;
    using Finish = std::function<Result<void>(SweepRun &, const StepOutcome &)>;

    ProofStage(const SweepPlan &plan, TrainingBackend &backend, Before before, Finish finish);
    [[nodiscard]] Result<void> run(std::unique_ptr<PreparedWorkload> &prepared, std::vector<SweepRun> &runs);

private:
    [[nodiscard]] Result<bool> takeReference(PreparedWorkload &prepared, const std::string &strategy);
    [[nodiscard]] Result<void> proveAll(PreparedWorkload &prepared, std::vector<SweepRun> &runs);
    [[nodiscard]] Result<void> proveOnSibling(std::unique_ptr<PreparedWorkload> &prepared, std::vector<SweepRun> &runs);
    [[nodiscard]] Result<void> compareOnSibling(PreparedWorkload &sibling, int layers, SweepRun &run);
    [[nodiscard]] Result<std::unique_ptr<PreparedWorkload>> siblingThatFits(int layers);

    const SweepPlan &m_plan;
    TrainingBackend &m_backend;
    Before m_before;
    Finish m_finish;
    std::string m_reference;
    std::string m_whyNot;
};

} // namespace remat::core
