// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advice/forecast.h"

namespace remat::core {

/// The largest number in [1, most] that fits, where what fits is followed only by what does not: doubling finds one that
/// does not, halving the interval the last that does. 0: not even 1.
[[nodiscard]] Result<std::int64_t> largestFitting(std::int64_t most,
                                                  const std::function<Result<bool>(std::int64_t)> &fits);

/// What is made as large as memory allows.
enum class Dimension { batch, sequence };

/// How far a strategy reaches within a budget. `strategy` "budget:BYTES" stands for the fastest plan that fits.
struct Reach
{
    std::string strategy;
    std::int64_t size = 0; // sequences of a micro-batch, or tokens of a sequence; 0: not even one fits
    bool isLimit = false;  // more would be allowed by memory, but the model (positions) or the program ends there
    Expected expected;     // at that size
};

/// The largest batch or sequence at which a strategy's peak is at most the workload's memory budget (of a `budget` strategy:
/// that of any schedule); 0: none. Errors: those of the costs other than doesNotFit.
[[nodiscard]] Result<std::int64_t> largestSize(Dimension dimension, const Strategy &strategy, const ModelConfig &model,
                                               const Workload &workload, const CostsAt &costsAt);

/// Where recomputation with a larger batch is faster than keeping everything at the largest batch that fits.
struct Crossing
{
    bool wins = false;
    std::string strategy;
    std::int64_t batch = 0; // the smallest that beats it, where it wins; else the one with the most tokens per second
    std::int64_t bestBatch = 0; // of those looked at, the one with the most tokens per second, which are
    double tokensPerSecond = 0.0;
    std::int64_t baseBatch = 0; // of `none`; 0: it does not fit at all
    double baseTokensPerSecond = 0.0;
    std::int64_t lastBatch
        = 0; // the last that beats it: a plan recomputes more the less room is left; 0: all up to the end
};

/// `reaches` are in the order none, every:2, every:1, plan.
struct ReachTable
{
    Dimension dimension = Dimension::batch;
    Bytes budget = 0;
    std::vector<Reach> reaches;
    std::optional<Crossing> crossing; // batches only
    bool approximate = false;
    bool roughTimes = false;
};

/// For each strategy the largest batch, or sequence up to the model's positions (images: just these), whose peak is at most
/// `budget`; the rest of the workload is as given. Errors: those of the costs other than doesNotFit.
[[nodiscard]] Result<ReachTable> reachOf(Dimension dimension, const ModelConfig &model, const Workload &workload,
                                         Bytes budget, const CostsAt &costsAt);

/// "From batch 12 on every:1 is faster than none at batch 8, the largest that fits: 9.0 % more tokens per second at batch
/// 24.", "From batch 12 to 30 …", or that it does not.
[[nodiscard]] std::string sentence(const Crossing &crossing, bool roughTimes);

[[nodiscard]] Json toJson(const ReachTable &table);

} // namespace remat::core
