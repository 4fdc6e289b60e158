// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/estimate.h"
#include "advice/forecast.h"

namespace remat::core {

/// What lowers the peak where schedules cannot, or beside them.
enum class LeverKind { chunkedLoss, updateInBackward, bf16, mixedBf16, accumulation, fusedAttention };

/// One lever pulled on a workload: what to type, and peak and time of keeping everything and of the smallest schedule.
struct Lever
{
    LeverKind kind = LeverKind::chunkedLoss;
    std::string option; // "--loss chunked:8"
    std::string change; // what else it changes, in words
    Workload workload;
    Bytes peak = 0;         // of `none`
    Bytes smallestPeak = 0; // of the schedule with the smallest peak
    Nanoseconds step = 0;   // of `none`
};

/// What sets the peak, and what helps. Held by the caller; a plain value.
struct Limits
{
    Estimate estimate; // of `none`
    Nanoseconds step = 0;
    bool roughTimes = false;
    std::string roughOn;
    double saving = 0.0;        // of the peak, the most that any schedule can save
    double states = 0.0;        // shares of the peak: weights, optimizer state and gradients;
    double logits = 0.0;        // what head and loss need, while they run;
    double optimizer = 0.0;     // optimizer state alone
    bool hardlyMatters = false; // schedules save little: `saving` is below kHardlyMatters
    bool floorIsLoss = false;   // the smallest peak is set by head and loss
    std::vector<Lever> levers;  // those that lower one of the two peaks by at least kWorthwhile, best first
};

inline constexpr double kHardlyMatters = 0.25;
inline constexpr double kWorthwhile = 0.03;

/// The limits of a resolved workload under `none`. Errors: those of the costs; a lever whose workload is
/// refused or does not fit is left out.
[[nodiscard]] Result<Limits> limitsOf(const ModelConfig &model, const Workload &workload, const CostsAt &costsAt);

/// In sentences, most important first: whether checkpointing matters, what sets the floor, and each lever with its gain
/// and price.
[[nodiscard]] std::vector<std::string> sentences(const Limits &limits);
[[nodiscard]] std::string sentence(const Lever &lever, const Limits &limits);

[[nodiscard]] Json toJson(const Limits &limits);

} // namespace remat::core
