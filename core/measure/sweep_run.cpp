// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/sweep_run.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "measure/statistics.h"
#include "model/stage.h"
#include "plan/planned_strategy.h"
#include "schedule/liveness.h"
#include "schedule/simulator.h"

namespace remat::core {

namespace {

void countRecomputation(SweepRun &run, const ChainShape &shape)
{
    const auto liveness = analyse(run.schedule, shape.firstTrainable);
    if (!liveness)
        return;
    run.point.segmentsTotal = 0;
    bool inside = false;
    bool lossSeen = false;
    for (std::size_t i = 0; i < run.schedule.ops.size(); ++i) {
        const Op &op = run.schedule.ops[i];
        const OpFacts &facts = liveness->facts[i];
        lossSeen = lossSeen || op.kind == OpKind::loss;
        run.point.segmentsTotal += lossSeen && facts.recomputation && !inside ? 1 : 0;
        inside = facts.recomputation;
        run.point.recomputedStageForwards += facts.recomputation ? 1 : 0;
        run.point.keptBoundaries += facts.outputKept ? 1 : 0;
        run.point.recomputedOptions += op.kind == OpKind::forwardSave && !op.option.empty() ? 1 : 0;
    }
}

void locatePeak(Point &point, const Recording &recording, const RecordingPeaks &peaks, const ModelConfig &model)
{
    if (recording.events.empty())
        return;
    const MemoryEvent &event = recording.events[peaks.peakEvent];
    point.peakPhase = toString(event.phase);
    if (event.op >= recording.ops.size())
        return;
    const OpRecord &op = recording.ops[event.op];
    point.peakOp = op.code;
    point.peakStage = op.stage;
    const auto stages = stagesOf(model);
    if (op.stage >= 0 && op.stage < static_cast<int>(stages.size()))
        point.peakLayer = stages[static_cast<std::size_t>(op.stage)].layer;
}

} // namespace

Result<std::vector<std::string>> optionsOf(const SweepPlan &plan)
{
    std::set<std::string> ids;
    const ChainShape shape = chainShape(plan.model, plan.workload);
    for (const Strategy &strategy : plan.strategies) {
        if (strategy.kind == StrategyKind::budget) {
            for (std::string &id : plannableOptions(shape))
                ids.insert(std::move(id));
            continue;
        }
        const auto schedule = makeSchedule(strategy, shape);
        if (!schedule)
            return schedule.error();
        for (const Op &op : schedule->ops)
            if (!op.option.empty())
                ids.insert(op.option);
    }
    return std::vector<std::string>(ids.begin(), ids.end());
}

bool StoppingRule::enough(const std::vector<Nanoseconds> &steps) const
{
    const int count = static_cast<int>(steps.size());
    if (count < least)
        return false;
    const Nanoseconds spent = std::accumulate(steps.begin(), steps.end(), Nanoseconds{0});
    return count >= most || spent >= longest || relativeSpread(summarise(steps)) <= spread;
}

bool hasEnough(const SweepRun &run, int repeats)
{
    if (repeats > 0)
        return static_cast<int>(run.splits.size()) >= repeats;
    std::vector<Nanoseconds> steps;
    for (const StepSplit &split : run.splits)
        steps.push_back(split.step);
    return StoppingRule().enough(steps);
}

std::pair<int, int> timedOf(const std::vector<SweepRun> &runs, int repeats)
{
    const int each = repeats > 0 ? repeats : StoppingRule().least;
    int done = 0;
    for (const SweepRun &run : runs)
        done += static_cast<int>(run.splits.size());
    return {done, std::max(done + 1, each * static_cast<int>(runs.size()))};
}

Nanoseconds remainingOf(const std::vector<SweepRun> &runs, int repeats)
{
    const int least = repeats > 0 ? repeats : StoppingRule().least;
    Nanoseconds sum = 0;
    for (const SweepRun &run : runs) {
        if (run.final)
            continue;
        if (run.splits.empty())
            return -1;
        const auto left = std::max<std::int64_t>(0, least - static_cast<std::int64_t>(run.splits.size())) + 1;
        sum += left * run.splits.back().step;
    }
    return sum;
}

Result<void> planBudget(SweepRun &run, const SweepPlan &plan, const std::optional<ChainCosts> &costs)
{
    if (run.strategy.kind != StrategyKind::budget)
        return {};
    if (!costs)
        return Error{ErrorCode::doesNotFit, "Not even one block fits, so no schedule could be planned."};
    auto schedule = scheduleFor(run.strategy, chainShape(plan.model, plan.workload), *costs);
    if (!schedule)
        return schedule.error();
    run.schedule = std::move(*schedule);
    return {};
}

void describe(SweepRun &run, const SweepPlan &plan, const std::optional<ChainCosts> &costs)
{
    Point &point = run.point;
    point.strategy = run.strategy.text;
    point.model = plan.model.name;
    point.batch = plan.workload.batch;
    point.seq = plan.workload.seq;
    point.microBatches = plan.workload.microBatches;
    point.dtype = toString(plan.workload.dtype);
    point.attention = toString(plan.workload.attention);
    point.device = plan.workload.device;
    point.grads = toString(plan.workload.gradients);
    point.optimizer = optimizerText(plan.workload);
    point.updateInBackward = plan.workload.updateInBackward;
    point.train = trainText(plan.workload);
    point.lossMode = lossText(plan.workload);
    point.lossDtype = "fp32"; // whatever the products are computed in
    countRecomputation(run, chainShape(plan.model, plan.workload));
    if (!costs)
        return;
    const auto simulation = simulate(run.schedule, *costs);
    if (!simulation)
        return;
    point.predictedPeakBytes = simulation->peak;
    point.predictedActivationPeakBytes = simulation->activationPeak;
    point.predictedStepNs = simulation->stepNs;
    point.predictionSource = toString(costs->source);
    point.recomputedStageForwards = simulation->recomputedForwards;
    point.keptBoundaries = simulation->keptBoundaries;
}

void conclude(SweepRun &run, const SweepPlan &plan, const RecordedStep &recorded)
{
    Point &point = run.point;
    std::vector<Nanoseconds> steps;
    for (const StepSplit &split : run.splits)
        steps.push_back(split.step);
    point.step = summarise(steps);
    const auto distance = [&point](const StepSplit &split) { return std::llabs(split.step - point.step.median); };
    const auto nearest = std::min_element(run.splits.begin(), run.splits.end(),
                                          [&](const auto &a, const auto &b) { return distance(a) < distance(b); });
    point.forwardNs = nearest->forward;
    point.recomputeNs = nearest->recompute;
    point.backwardNs = nearest->backward;
    point.lossNs = nearest->loss;
    point.optimizerNs = nearest->optimizer;
    point.otherNs = nearest->other;
    point.recomputeAttentionNs = nearest->recomputeAttention;
    point.recomputeFfnNs = nearest->recomputeFeedForward;
    point.recomputeNormNs = nearest->recomputeNorm;
    point.randomStateNs = nearest->randomState;
    point.segmentsRecomputed = segmentsRecomputed(recorded.recording);
    const auto tokens = static_cast<double>(point.batch * point.seq * point.microBatches);
    if (point.step.median > 0)
        point.tokensPerSecond = tokens * 1e9 / static_cast<double>(point.step.median);

    const RecordingPeaks peaks = peaksOf(recorded.recording);
    point.peakBytes = peaks.peak;
    point.activationPeakBytes = peaks.activationPeak;
    point.staticBytes = recorded.staticBytes;
    point.allocatedPeakBytes = recorded.allocatedPeakBytes;
    point.reservedPeakBytes = recorded.reservedPeakBytes;
    if (plan.workload.device == "cpu")
        point.workerScratchPeakBytes = peaks.workerScratchPeak;
    locatePeak(point, recorded.recording, peaks, plan.model);
    point.deviceUsedPeakBytes = run.paging.deviceUsed;
    const auto [fastest, slowest] = std::minmax_element(steps.begin(), steps.end());
    point.pagingSuspected = pagingSuspicion(run.paging, {*fastest, *slowest, point.step.median, point.predictedStepNs});
}

} // namespace remat::core
