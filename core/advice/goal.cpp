// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/goal.h"

#include <algorithm>
#include <cstdio>

#include "advice/command_line.h"
#include "advice/estimate.h"
#include "advice/reach.h"

namespace remat::core {

namespace {

/// A batch must be at least so much faster to be worth its memory.
constexpr double kFaster = 1.01;

struct GoalName
{
    GoalKind kind;
    std::string_view name;
};
constexpr GoalName kNames[]{
    {GoalKind::fits, "fits"}, {GoalKind::fastest, "fastest"}, {GoalKind::longestSequence, "longest-sequence"}};

/// The fastest schedule within the budget at one workload; `none` where it fits, so that nothing is recomputed in vain.
Result<Expected> fastestAt(const ModelConfig &model, const Workload &workload, Bytes budget, const ChainCosts &costs)
{
    auto none = expect({}, model, workload, costs);
    if (!none || none->peak <= budget)
        return none;
    const auto plan = parseStrategy("budget:" + sizeWord(budget));
    return plan ? expect(*plan, model, workload, costs) : Result<Expected>(plan.error());
}

/// Where nothing fits: what the schedule with the smallest peak needs.
Result<void> fillSmallest(GoalAnswer &answer, const ModelConfig &model, const ChainCosts &costs)
{
    const auto schedule = makeSchedule({}, chainShape(model, answer.workload));
    if (!schedule)
        return schedule.error();
    const auto estimate = estimateOf(model, answer.workload, costs, *schedule);
    if (!estimate)
        return estimate.error();
    answer.expected.peak = estimate->smallestPeak;
    answer.words = "Nothing fits " + formatBytes(answer.budget) + " at batch " + std::to_string(answer.workload.batch)
        + " and " + std::to_string(answer.workload.seq) + " tokens: the smallest peak of any schedule is "
        + formatBytes(estimate->smallestPeak) + ", set by " + estimate->smallestWhere + ".";
    return {};
}

Result<void> settle(GoalAnswer &answer, const ModelConfig &model, const CostsAt &costsAt)
{
    const auto forecast = costsAt(model, answer.workload);
    if (!forecast)
        return forecast.error();
    answer.approximate = forecast->approximate;
    answer.roughTimes = forecast->roughTimes;
    auto expected = fastestAt(model, answer.workload, answer.budget, forecast->costs);
    if (!expected && expected.error().code != ErrorCode::doesNotFit)
        return expected.error();
    answer.reachable = static_cast<bool>(expected);
    if (!expected)
        return fillSmallest(answer, model, forecast->costs);
    answer.expected = std::move(*expected);
    return {};
}

/// The largest size at which `none` fits the budget, or any schedule at all.
Result<std::int64_t> largestWithin(Dimension dimension, bool anySchedule, const GoalAnswer &answer,
                                   const ModelConfig &model, const CostsAt &costsAt)
{
    const auto strategy
        = anySchedule ? parseStrategy("budget:" + sizeWord(answer.budget)) : Result<Strategy>(Strategy{});
    if (!strategy)
        return strategy.error();
    Workload workload = answer.workload;
    workload.memoryBudget = answer.budget;
    return largestSize(dimension, *strategy, model, workload, costsAt);
}

/// Batches worth looking at: powers of two up to the largest that any schedule fits, that one, and the largest of none.
Result<std::vector<std::int64_t>> batchesFor(const GoalAnswer &answer, const ModelConfig &model, const CostsAt &costsAt)
{
    const auto none = largestWithin(Dimension::batch, false, answer, model, costsAt);
    const auto any = largestWithin(Dimension::batch, true, answer, model, costsAt);
    if (!none || !any)
        return !none ? none.error() : any.error();
    std::vector<std::int64_t> sizes{*none, *any};
    for (std::int64_t size = 1; size < *any; size *= 2)
        sizes.push_back(size);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::erase(sizes, 0);
    return sizes;
}

Result<void> findFastest(GoalAnswer &answer, const ModelConfig &model, const CostsAt &costsAt)
{
    const auto sizes = batchesFor(answer, model, costsAt);
    if (!sizes)
        return sizes.error();
    double best = 0.0;
    std::int64_t batch = 1;
    for (const std::int64_t size : *sizes) {
        GoalAnswer at = answer;
        at.workload.batch = size;
        if (auto done = settle(at, model, costsAt); !done)
            return done;
        if (at.reachable && at.expected.tokensPerSecond > best * kFaster) {
            best = at.expected.tokensPerSecond;
            batch = size;
        }
    }
    answer.workload.batch = batch;
    return settle(answer, model, costsAt);
}

Result<void> findLongest(GoalAnswer &answer, const ModelConfig &model, const CostsAt &costsAt)
{
    const auto size = largestWithin(Dimension::sequence, true, answer, model, costsAt);
    if (!size)
        return size.error();
    const std::int64_t least = model.head == HeadKind::image ? model.positions : 1;
    answer.workload.seq = std::max(least, *size);
    return settle(answer, model, costsAt);
}

std::string wordsFor(const GoalAnswer &answer, const ModelConfig &model)
{
    const Expected &expected = answer.expected;
    char rate[48];
    std::snprintf(rate, sizeof rate, "%.0f tokens/s", expected.tokensPerSecond);
    std::string text = "Batch " + std::to_string(answer.workload.batch) + ", " + std::to_string(answer.workload.seq)
        + " tokens with " + expected.strategy + ": peak " + formatBytes(expected.peak)
        + (answer.approximate ? " at least" : ", exact") + ", step " + formatDuration(expected.step) + " (" + rate + ")"
        + (answer.roughTimes ? ", a rough time from published peaks." : ".");
    if (expected.strategy == "none")
        text += " No checkpointing is needed.";
    if (answer.kind == GoalKind::longestSequence && answer.workload.seq == model.positions)
        text += " The model ends at " + std::to_string(model.positions) + " positions.";
    return text;
}

} // namespace

std::string_view toString(GoalKind kind)
{
    return std::find_if(std::begin(kNames), std::end(kNames), [&](const GoalName &name) { return name.kind == kind; })
        ->name;
}

Result<GoalKind> goalFrom(std::string_view text)
{
    for (const GoalName &name : kNames)
        if (name.name == text)
            return name.kind;
    return Error{ErrorCode::usage,
                 "The goal '" + std::string(text) + "' is unknown; use fits, fastest or longest-sequence."};
}

Result<GoalAnswer> answerGoal(GoalKind kind, const ModelConfig &model, const Workload &workload, Bytes budget,
                              const CostsAt &costsAt)
{
    GoalAnswer answer;
    answer.kind = kind;
    answer.budget = budget;
    answer.workload = workload;
    const auto done = kind == GoalKind::fits ? settle(answer, model, costsAt)
        : kind == GoalKind::fastest          ? findFastest(answer, model, costsAt)
                                             : findLongest(answer, model, costsAt);
    if (!done)
        return done.error();
    if (answer.reachable)
        answer.words = wordsFor(answer, model);
    return answer;
}

std::string commandFor(const GoalAnswer &answer, const ModelConfig &model, const std::string &config, int cores)
{
    const int threads = cores > 0 ? cores : answer.workload.threads;
    return "remat measure " + config + workloadArguments(answer.workload, model, threads) + " --strategy "
        + (answer.reachable ? answer.expected.strategy : "budget:" + sizeWord(answer.budget));
}

Json toJson(const GoalAnswer &answer)
{
    const bool reached = answer.reachable;
    return {{"goal", toString(answer.kind)},
            {"budget", answer.budget},
            {"reachable", reached},
            {"batch", answer.workload.batch},
            {"seq", answer.workload.seq},
            {"strategy", reached ? Json(answer.expected.strategy) : Json(nullptr)},
            {"peak_bytes", answer.expected.peak},
            {"step_ns", reached ? Json(answer.expected.step) : Json(nullptr)},
            {"tokens_per_second", reached ? Json(answer.expected.tokensPerSecond) : Json(nullptr)},
            {"approximate", answer.approximate},
            {"rough_times", answer.roughTimes},
            {"words", answer.words}};
}

} // namespace remat::core
