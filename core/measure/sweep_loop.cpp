// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/sweep_loop.h"

#include <algorithm>

#include "measure/sweep_run.h"

namespace remat::core {

namespace {

/// Optimizer state appears with the first update and workspaces with the first backward; the second step finds both.
constexpr int kWarmSteps = 2;

/// Of one run in all. A loss scale of 2^16 is at 1 after 16 skipped steps; more skip for another reason.
constexpr int kMostSkippedSteps = 32;

class Sweep
{
public:
    Sweep(const SweepPlan &plan, TrainingBackend &backend, RunObserver &observer, std::stop_token stop)
        : m_plan(plan), m_backend(backend), m_observer(observer), m_stop(std::move(stop))
    {
    }

    Result<std::vector<Point>> run();

private:
    Result<void> work();
    Result<void> makeRuns();
    Result<void> planAndDescribe();
    Result<void> endUnrun(SweepRun &run, const std::string &reason);
    Result<void> probe();
    Result<bool> prepare();
    Result<void> prove();
    Result<void> warmUp();
    Result<void> timeSteps();
    Result<void> timeStep(SweepRun &run);
    Result<bool> settle(SweepRun &run);
    Result<void> record(SweepRun &run);
    Result<void> skipped(SweepRun &run);
    Result<void> start(SweepRun &run);
    Result<void> finish(SweepRun &run, RunStatus status, const std::string &reason);
    Result<void> ended(SweepRun &run, const StepOutcome &outcome);
    Result<void> finishOpen(RunStatus status, const std::string &reason);
    Result<void> failed(SweepRun &run, const Error &error);
    Result<void> unmeasuredStep(SweepRun &run);
    [[nodiscard]] bool anyOpen() const;
    void tell(const char *phase, const std::string &strategy, int step = 0, int steps = 0);

    const SweepPlan &m_plan;
    TrainingBackend &m_backend;
    RunObserver &m_observer;
    std::stop_token m_stop;
    std::vector<SweepRun> m_runs;
    std::optional<ChainCosts> m_costs;
    std::unique_ptr<PreparedWorkload> m_prepared;
    int m_settled = 0; // whole steps since the model was made, reset, or left by a failed step
};

Result<std::vector<Point>> Sweep::run()
{
    const auto worked = work();
    if (!worked && worked.error().code != ErrorCode::cancelled) {
        // The sweep cannot go on; what it leaves open must not look as if it were still running. The first error counts.
        (void)finishOpen(RunStatus::failed, worked.error().message).has_value();
        return worked.error();
    }
    if (auto closed = finishOpen(RunStatus::cancelled, "Cancelled before it was finished."); !closed)
        return closed.error();
    std::vector<Point> points;
    for (SweepRun &run : m_runs)
        points.push_back(std::move(run.point));
    return points;
}

Result<void> Sweep::work()
{
    if (auto made = makeRuns(); !made)
        return made.error();
    if (auto probed = probe(); !probed)
        return probed.error();
    auto ready = prepare();
    if (!ready)
        return ready.error();
    if (!*ready || m_stop.stop_requested())
        return {};
    for (auto phase : {&Sweep::prove, &Sweep::warmUp, &Sweep::timeSteps}) {
        if (m_stop.stop_requested() || !anyOpen())
            return {};
        if (auto done = (this->*phase)(); !done)
            return done.error();
    }
    return {};
}

Result<void> Sweep::makeRuns()
{
    const ChainShape shape = chainShape(m_plan.model, m_plan.workload);
    for (const Strategy &strategy : m_plan.strategies) {
        SweepRun run;
        run.strategy = strategy;
        if (strategy.kind != StrategyKind::budget) {
            auto schedule = makeSchedule(strategy, shape);
            if (!schedule)
                return schedule.error();
            run.schedule = std::move(*schedule);
        }
        m_runs.push_back(std::move(run));
    }
    return {};
}

/// Budgets get their schedules once the costs are known; one that no schedule keeps is a result. Where not even one block
/// fits, the other runs say so themselves; only the prediction is missing.
Result<void> Sweep::planAndDescribe()
{
    for (SweepRun &run : m_runs) {
        const auto planned = planBudget(run, m_plan, m_costs);
        if (!planned && planned.error().code != ErrorCode::doesNotFit)
            return planned;
        describe(run, m_plan, m_costs);
        if (auto ended = planned ? planned : endUnrun(run, planned.error().message); !ended)
            return ended;
    }
    return {};
}

Result<void> Sweep::probe()
{
    tell("probing", {});
    const auto options = optionsOf(m_plan);
    if (!options)
        return options.error();
    auto costs = m_backend.probe(m_plan.model, m_plan.workload, *options, m_stop);
    if (!costs && costs.error().code != ErrorCode::doesNotFit)
        return costs.error();
    if (costs) {
        if (auto told = m_observer.costs(*costs); !told)
            return told.error();
        m_costs = std::move(*costs);
    }
    return planAndDescribe();
}

/// False: the model itself does not fit, and every run has ended with that.
Result<bool> Sweep::prepare()
{
    tell("preparing", {});
    auto prepared = m_backend.prepare(m_plan.model, m_plan.workload);
    if (prepared) {
        m_prepared = std::move(*prepared);
        return true;
    }
    if (prepared.error().code != ErrorCode::doesNotFit)
        return prepared.error();
    for (SweepRun &run : m_runs)
        if (auto ended = endUnrun(run, prepared.error().message); !ended)
            return ended.error();
    return false;
}

Result<void> Sweep::endUnrun(SweepRun &run, const std::string &reason)
{
    if (run.final)
        return {};
    auto started = start(run);
    return started ? finish(run, RunStatus::doesNotFit, reason) : started;
}

Result<void> Sweep::prove()
{
    int done = 0;
    const auto before = [&](SweepRun &run) -> Result<bool> {
        if (m_stop.stop_requested())
            return false;
        tell("proof", run.strategy.text, done++, static_cast<int>(m_runs.size()));
        if (auto started = start(run); !started)
            return started.error();
        return true;
    };
    const auto failed = [this](SweepRun &run, const StepOutcome &outcome) { return ended(run, outcome); };
    tell("proof", {});
    if (auto proved = ProofStage(m_plan, m_backend, before, failed).run(m_prepared, m_runs); !proved)
        return proved.error();
    if (m_prepared == nullptr)
        return {};
    m_settled = 0;
    return m_prepared->reset();
}

Result<void> Sweep::warmUp()
{
    int done = 0;
    for (SweepRun &run : m_runs) {
        while (!run.final && run.warmSteps < kWarmSteps && !m_stop.stop_requested()) {
            tell("warm-up", run.strategy.text, done++, kWarmSteps * static_cast<int>(m_runs.size()));
            if (auto stepped = unmeasuredStep(run); !stepped)
                return stepped.error();
        }
    }
    return {};
}

/// Rounds A B C A B C …; a run leaves them when its rule is met and is recorded at the end of that round, so that the
/// curve grows while the others go on.
Result<void> Sweep::timeSteps()
{
    while (anyOpen() && !m_stop.stop_requested()) {
        for (SweepRun &run : m_runs) {
            if (run.final || m_stop.stop_requested())
                continue;
            const auto [done, all] = timedOf(m_runs, m_plan.repeats);
            tell("timing", run.strategy.text, done, all);
            if (auto timed = timeStep(run); !timed)
                return timed.error();
        }
        for (SweepRun &run : m_runs) {
            if (run.final || !hasEnough(run, m_plan.repeats) || m_stop.stop_requested())
                continue;
            tell("recording", run.strategy.text);
            if (auto recorded = record(run); !recorded)
                return recorded.error();
        }
    }
    return {};
}

Result<void> Sweep::timeStep(SweepRun &run)
{
    auto settled = settle(run);
    if (!settled)
        return settled.error();
    if (!*settled)
        return {};
    const MemoryPressure before = m_prepared->pressure();
    auto outcome = m_prepared->step(run.schedule, m_stop);
    if (!outcome)
        return failed(run, outcome.error());
    if (outcome->status == RunStatus::done && outcome->skipped)
        return skipped(run);
    if (outcome->status != RunStatus::done)
        return ended(run, *outcome);
    run.splits.push_back(outcome->split);
    addStep(run.paging, before, m_prepared->pressure());
    return {};
}

/// After a step of another run that ended early the optimizer state may be gone: whole steps bring it back, so that
/// no run's numbers depend on its neighbours. False: the run ended here, or the sweep was cancelled.
Result<bool> Sweep::settle(SweepRun &run)
{
    while (m_settled < kWarmSteps) {
        if (m_stop.stop_requested())
            return false;
        if (auto stepped = unmeasuredStep(run); !stepped)
            return stepped.error();
        if (run.final)
            return false;
    }
    return true;
}

Result<void> Sweep::unmeasuredStep(SweepRun &run)
{
    auto outcome = m_prepared->step(run.schedule, m_stop);
    if (!outcome)
        return failed(run, outcome.error());
    if (outcome->status == RunStatus::done && outcome->skipped)
        return skipped(run);
    if (outcome->status != RunStatus::done)
        return ended(run, *outcome);
    ++m_settled;
    ++run.warmSteps;
    return {};
}

/// A step that was not finished: cancelled runs stay open, for the sweep ends with them.
Result<void> Sweep::ended(SweepRun &run, const StepOutcome &outcome)
{
    m_settled = 0;
    if (outcome.status == RunStatus::cancelled)
        return {};
    run.point.failure = outcome.failure;
    return finish(run, outcome.status, outcome.reason);
}

/// A step without an update is no step of the protocol: it is counted and run again.
Result<void> Sweep::skipped(SweepRun &run)
{
    if (++run.skippedSteps <= kMostSkippedSteps)
        return {};
    return finish(run, RunStatus::failed,
                  "The loss scaler skipped " + std::to_string(run.skippedSteps)
                      + " steps because gradients were not finite; use mixed-bf16 or fp32.");
}

Result<void> Sweep::record(SweepRun &run)
{
    auto settled = settle(run);
    if (!settled)
        return settled.error();
    if (!*settled)
        return {};
    auto recorded = m_prepared->recordStep(run.schedule, m_stop);
    if (!recorded)
        return failed(run, recorded.error());
    if (recorded->outcome.status == RunStatus::done && recorded->outcome.skipped)
        return skipped(run);
    if (recorded->outcome.status != RunStatus::done)
        return ended(run, recorded->outcome);
    conclude(run, m_plan, *recorded);
    run.recording = std::move(recorded->recording);
    return finish(run, RunStatus::done, {});
}

Result<void> Sweep::start(SweepRun &run)
{
    run.point.status = RunStatus::running;
    if (m_prepared != nullptr)
        run.point.environment = m_prepared->environment();
    auto id = m_observer.started(run.point, run.schedule);
    if (!id)
        return id.error();
    run.point.run = *id;
    run.started = true;
    return {};
}

Result<void> Sweep::finish(SweepRun &run, RunStatus status, const std::string &reason)
{
    run.final = true;
    run.point.status = status;
    run.point.reason = reason;
    if (run.warmSteps > 0 || run.skippedSteps > 0)
        run.point.skippedSteps = run.skippedSteps;
    // What ran decides, e.g. which attention kernel; known only after the first step.
    if (m_prepared != nullptr)
        run.point.environment = m_prepared->environment();
    run.point.attentionWhy = run.point.environment.attentionWhy;
    if (run.point.environment.version.empty())
        run.point.environment.version = REMAT_VERSION;
    if (!run.started)
        return {};
    FinishedRun finished{run.point, run.schedule, std::move(run.recording)};
    run.recording = {};
    auto told = m_observer.finished(finished);
    tell("saving", run.strategy.text);
    return told;
}

Result<void> Sweep::finishOpen(RunStatus status, const std::string &reason)
{
    Result<void> first;
    for (SweepRun &run : m_runs) {
        if (run.final)
            continue;
        if (auto finished = finish(run, status, reason); !finished && first)
            first = finished;
    }
    return first;
}

/// What the engine could not do for this schedule ends this run; the others may still go well.
Result<void> Sweep::failed(SweepRun &run, const Error &error)
{
    m_settled = 0;
    if (error.code == ErrorCode::cancelled)
        return error;
    return finish(run, RunStatus::failed, error.message);
}

bool Sweep::anyOpen() const
{
    return std::any_of(m_runs.begin(), m_runs.end(), [](const SweepRun &run) { return !run.final; });
}

void Sweep::tell(const char *phase, const std::string &strategy, int step, int steps)
{
    const auto final = std::count_if(m_runs.begin(), m_runs.end(), [](const auto &run) { return run.final; });
    m_observer.progress({phase, strategy, static_cast<int>(final), static_cast<int>(m_runs.size()), step, steps,
                         remainingOf(m_runs, m_plan.repeats)});
}

} // namespace

Result<std::vector<Point>> runSweep(const SweepPlan &plan, TrainingBackend &backend, RunObserver &observer,
                                    std::stop_token stop)
{
    return Sweep(plan, backend, observer, std::move(stop)).run();
}

} // namespace remat::core
