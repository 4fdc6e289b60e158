// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "advice/forecast.h"

namespace remat::core {

/// fits: the workload as it is, as fast as the budget allows. fastest: the batch with the most tokens per second.
/// longestSequence: the most tokens of a sequence, then as fast as possible.
enum class GoalKind { fits, fastest, longestSequence };
[[nodiscard]] Result<GoalKind> goalFrom(std::string_view text); // "fits", "fastest", "longest-sequence"
[[nodiscard]] std::string_view toString(GoalKind kind);

/// What to do to reach a goal within so many bytes, everything counted. A plain value.
struct GoalAnswer
{
    GoalKind kind = GoalKind::fits;
    Bytes budget = 0;
    bool reachable = false;
    Workload workload;        // with the batch or sequence that was found
    Expected expected;        // peak, time and strategy; where nothing fits, of the schedule with the smallest peak
    bool approximate = false; // the peak is a lower bound
    bool roughTimes = false;  // the time is a device's published peak
    std::string words;        // the answer in one or two sentences
};

/// Errors: those of the costs other than doesNotFit. An unreachable goal is an answer.
[[nodiscard]] Result<GoalAnswer> answerGoal(GoalKind kind, const ModelConfig &model, const Workload &workload,
                                            Bytes budget, const CostsAt &costsAt);

/// What to type to run it: `remat measure CONFIG …` with every option that differs from the defaults. `config` is shell
/// text: the config's path as shellWord() writes it, and what made the model of it ("--layers 4"). `cores` is how many the
/// command will find, and so its threads where none are named; 0: as many as the answer has threads.
[[nodiscard]] std::string commandFor(const GoalAnswer &answer, const ModelConfig &model, const std::string &config,
                                     int cores = 0);

[[nodiscard]] Json toJson(const GoalAnswer &answer);

} // namespace remat::core
