// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/levers.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "schedule/strategy.h"

namespace remat::core {

namespace {

/// More parts than this gain nothing that matters and cost launches.
constexpr int kMostChunks = 16;
constexpr double kNoMoreGain = 0.02;
/// From this share of the peak on, head and loss are named first.
constexpr double kLogitsHeavy = 0.3;

struct Candidate
{
    LeverKind kind;
    Workload workload;
    std::string option;
    std::string change;
};

std::string percent(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", 100.0 * share);
    return text;
}

void addLossAndUpdate(std::vector<Candidate> &list, const Workload &workload)
{
    if (workload.lossChunks == 0)
        for (int chunks = 2; chunks <= kMostChunks; chunks *= 2) {
            Workload changed = workload;
            changed.lossChunks = chunks;
            list.push_back({LeverKind::chunkedLoss, changed, "--loss " + lossText(changed),
                            "the same loss up to rounding; head and loss run in parts of the tokens"});
        }
    if (!workload.updateInBackward && workload.optimizer != OptimizerKind::none) {
        Workload changed = workload;
        changed.updateInBackward = true;
        list.push_back({LeverKind::updateInBackward, changed, "--update-in-backward",
                        "no clipping by a global norm and no accumulation"});
    }
}

void addTypes(std::vector<Candidate> &list, const Workload &workload)
{
    if (workload.dtype != Dtype::fp32)
        return;
    Workload changed = workload;
    changed.dtype = Dtype::bf16;
    list.push_back({LeverKind::bf16, changed, "--dtype bf16", "weights and optimizer state lose precision as well"});
    changed.dtype = Dtype::mixedBf16;
    list.push_back({LeverKind::mixedBf16, changed, "--dtype mixed-bf16",
                    "weights stay fp32; products and activations are rounded"});
}

void addBatchAndKernel(std::vector<Candidate> &list, const Workload &workload)
{
    const std::int64_t sequences = workload.batch * workload.microBatches;
    if (workload.batch > 1 && sequences <= std::numeric_limits<int>::max()) {
        Workload changed = workload;
        changed.microBatches = static_cast<int>(sequences);
        changed.batch = 1;
        list.push_back({LeverKind::accumulation, changed,
                        "--batch 1 --micro-batches " + std::to_string(changed.microBatches),
                        "the same step, one sequence at a time; gradients of all weights are held throughout"});
    }
    if (workload.attention == AttentionKernel::math && workload.attentionDropout <= 0.0) {
        Workload changed = workload;
        changed.attention = AttentionKernel::sdpa;
        list.push_back({LeverKind::fusedAttention, changed, "--attention sdpa", "equal up to rounding"});
    }
}

/// What a workload cannot do is no lever; that a probe broke or was cancelled says nothing about it.
bool isRefusal(const Error &error)
{
    return error.code == ErrorCode::usage || error.code == ErrorCode::refused || error.code == ErrorCode::doesNotFit;
}

/// Nothing where the workload refuses it.
Result<std::optional<Lever>> pulled(const Candidate &candidate, const ModelConfig &model, const CostsAt &costsAt)
{
    using Pulled = std::optional<Lever>;
    const auto resolved = resolveWorkload(candidate.workload, model, candidate.workload.threads);
    if (!resolved)
        return Pulled();
    const auto forecast = costsAt(model, *resolved);
    if (!forecast)
        return isRefusal(forecast.error()) ? Result<Pulled>(Pulled()) : Result<Pulled>(forecast.error());
    const auto schedule = makeSchedule({}, chainShape(model, *resolved));
    if (!schedule)
        return schedule.error();
    const auto estimate = estimateOf(model, *resolved, forecast->costs, *schedule);
    const auto none = expect({}, model, *resolved, forecast->costs);
    if (!estimate || !none)
        return !estimate ? estimate.error() : none.error();
    return Pulled(Lever{candidate.kind, candidate.option, candidate.change, *resolved, estimate->peak,
                        estimate->smallestPeak, none->step});
}

double gain(const Lever &lever, const Estimate &now)
{
    const auto share
        = [](Bytes less, Bytes than) { return 1.0 - static_cast<double>(less) / static_cast<double>(than); };
    return std::max(share(lever.peak, now.peak), share(lever.smallestPeak, now.smallestPeak));
}

/// Of each kind of lever, which stand side by side from the mildest to the strongest, the mildest that is worth while and
/// gains nearly as much as the best.
std::vector<Lever> mildest(std::vector<Lever> all, const Estimate &now)
{
    std::vector<Lever> chosen;
    for (auto first = all.begin(); first != all.end();) {
        const auto end = std::find_if(first, all.end(), [&](const Lever &other) { return other.kind != first->kind; });
        double best = 0.0;
        for (auto lever = first; lever != end; ++lever)
            best = std::max(best, gain(*lever, now));
        const auto enough
            = [&](const Lever &lever) { return gain(lever, now) >= std::max(best - kNoMoreGain, kWorthwhile); };
        if (const auto lever = std::find_if(first, end, enough); lever != end)
            chosen.push_back(std::move(*lever));
        first = end;
    }
    return chosen;
}

void fillShares(Limits &limits)
{
    const Estimate &now = limits.estimate;
    const auto share = [&](Bytes part) { return static_cast<double>(part) / static_cast<double>(now.peak); };
    limits.saving = share(now.maxSaving);
    limits.states = share(now.parts.weights + now.parts.optimizer + now.parts.gradients);
    limits.optimizer = share(now.parts.optimizer);
    limits.logits = share(now.parts.logits);
    limits.hardlyMatters = limits.saving < kHardlyMatters;
    limits.floorIsLoss = now.smallestOp == "L";
}

std::string_view kindText(LeverKind kind)
{
    switch (kind) {
    case LeverKind::chunkedLoss:
        return "chunked_loss";
    case LeverKind::updateInBackward:
        return "update_in_backward";
    case LeverKind::bf16:
        return "bf16";
    case LeverKind::mixedBf16:
        return "mixed_bf16";
    case LeverKind::accumulation:
        return "accumulation";
    case LeverKind::fusedAttention:
        return "fused_attention";
    }
    return {};
}

std::string dominating(const Limits &limits)
{
    if (limits.logits > limits.states)
        return "head and loss need " + percent(limits.logits) + " of the peak";
    if (limits.states > 0.5)
        return "weights, gradients and optimizer state are " + percent(limits.states) + " of the peak";
    return "the smallest peak, " + formatBytes(limits.estimate.smallestPeak) + ", is set by "
        + limits.estimate.smallestWhere;
}

} // namespace

Result<Limits> limitsOf(const ModelConfig &model, const Workload &workload, const CostsAt &costsAt)
{
    const auto forecast = costsAt(model, workload);
    if (!forecast)
        return forecast.error();
    const auto schedule = makeSchedule({}, chainShape(model, workload));
    if (!schedule)
        return schedule.error();
    auto estimate = estimateOf(model, workload, forecast->costs, *schedule);
    const auto none = expect({}, model, workload, forecast->costs);
    if (!estimate || !none)
        return !estimate ? estimate.error() : none.error();
    Limits limits;
    limits.estimate = std::move(*estimate);
    limits.estimate.approximate = forecast->approximate;
    limits.step = none->step;
    limits.roughTimes = forecast->roughTimes;
    limits.roughOn = forecast->roughOn;
    fillShares(limits);
    std::vector<Candidate> candidates;
    addLossAndUpdate(candidates, workload);
    addTypes(candidates, workload);
    addBatchAndKernel(candidates, workload);
    for (const Candidate &candidate : candidates) {
        auto lever = pulled(candidate, model, costsAt);
        if (!lever)
            return lever.error();
        if (*lever)
            limits.levers.push_back(std::move(**lever));
    }
    limits.levers = mildest(std::move(limits.levers), limits.estimate);
    std::stable_sort(limits.levers.begin(), limits.levers.end(), [&](const Lever &a, const Lever &b) {
        return gain(a, limits.estimate) > gain(b, limits.estimate);
    });
    return limits;
}

std::string sentence(const Lever &lever, const Limits &limits)
{
    const Estimate &now = limits.estimate;
    std::string text = lever.option + ": peak of none " + formatBytes(now.peak) + " → " + formatBytes(lever.peak)
        + ", smallest possible " + formatBytes(now.smallestPeak) + " → " + formatBytes(lever.smallestPeak);
    if (limits.step > 0 && lever.step > 0) {
        char time[48];
        std::snprintf(time, sizeof time, ", step ×%.2f",
                      static_cast<double>(lever.step) / static_cast<double>(limits.step));
        text += time;
        if (limits.roughTimes)
            text += " (rough, by the published peaks of " + limits.roughOn + ")";
    }
    return text + "; " + lever.change + ".";
}

std::vector<std::string> sentences(const Limits &limits)
{
    const Estimate &now = limits.estimate;
    std::vector<std::string> all;
    all.push_back((limits.hardlyMatters ? "Checkpointing hardly matters here: it can save at most "
                                        : "Checkpointing can save at most ")
                  + percent(limits.saving) + " of the peak of none (" + formatBytes(now.maxSaving) + " of "
                  + formatBytes(now.peak) + "); " + dominating(limits) + ".");
    if (limits.logits > kLogitsHeavy)
        all.push_back("Head and loss alone need " + percent(limits.logits)
                      + " of the peak: a chunked loss or fewer tokens change more than the choice of an interval.");
    if (limits.floorIsLoss)
        all.push_back(
            "The floor of " + formatBytes(now.smallestPeak)
            + " is set by head and loss, not by the blocks: below it only a chunked loss or fewer tokens help.");
    for (const Lever &lever : limits.levers)
        all.push_back(sentence(lever, limits));
    return all;
}

Json toJson(const Limits &limits)
{
    Json levers = Json::array();
    for (const Lever &lever : limits.levers)
        levers.push_back({{"lever", kindText(lever.kind)},
                          {"option", lever.option},
                          {"peak_bytes", lever.peak},
                          {"smallest_peak_bytes", lever.smallestPeak},
                          {"step_ns", lever.step},
                          {"changes", lever.change}});
    return {{"hardly_matters", limits.hardlyMatters},
            {"max_saving_share", limits.saving},
            {"states_share", limits.states},
            {"optimizer_share", limits.optimizer},
            {"logits_share", limits.logits},
            {"floor_is_loss", limits.floorIsLoss},
            {"step_ns", limits.step},
            {"rough_times", limits.roughTimes},
            {"rough_on", limits.roughTimes ? Json(limits.roughOn) : Json(nullptr)},
            {"levers", std::move(levers)},
            {"sentences", sentences(limits)}};
}

} // namespace remat::core
