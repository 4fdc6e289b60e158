// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/stage.h"
#include "schedule/schedule.h"

namespace remat::core {

enum class StrategyKind {
    none,
    every,
    segments,
    sequential,
    first,
    last,
    layers,
    sqrt,
    halves,
    recursive,
    inputOnly,
    budget,
    file
};

/// How many bytes a plan may take at its peak: so many, or the static part and this share of the activation peak of
/// `none`. A plain value; one of the two is set.
struct BudgetRule
{
    Bytes bytes = 0;
    double percent = -1.0;
};

/// "4GiB", "512000000", "30%".
[[nodiscard]] Result<BudgetRule> parseBudget(std::string_view text);

/// How ForwardSaves run their stages: option ids of the two halves ("" is keep_all), for the layers given (none: all). A
/// block whose halves run in parallel is one stage and takes both, joined with '+'.
struct StageOptions
{
    std::string attention;
    std::string feedForward;
    std::vector<int> layers; // ascending

    [[nodiscard]] bool any() const { return !attention.empty() || !feedForward.empty(); }

    /// What an Op on a stage of this kind carries; "" for stages without options.
    [[nodiscard]] std::string idFor(StageKind kind) const;
};

/// Reads ids joined by '+', as an Op on a block stage carries them ("drop_core+lean_mlp"); keep_all_norm stands for every
/// half that nothing else is said of. Empty where an id is unknown or a half is named twice. The inverse of idFor(block).
[[nodiscard]] std::optional<StageOptions> stageOptionsFrom(std::string_view ids);

/// A named rule that yields a schedule for a model of N blocks. `text` is the canonical spelling ("every:2",
/// "selective:attention", "segments:2+selective:mlp", "selective:drop_qkv+lean_mlp@0,3-5"): a rule, and what its
/// ForwardSaves drop and rebuild. A plain value; parseStrategy makes it.
struct Strategy
{
    StrategyKind kind = StrategyKind::none;
    int n = 0;               // N, K or S of the rule, where it has one
    std::vector<int> layers; // layers:…, ascending, without repeats
    std::string path;        // file:…
    BudgetRule budget;       // budget:…
    StageOptions options;
    std::string text = "none";
};

/// One row of `inspect --strategies`.
struct StrategyInfo
{
    std::string_view pattern;
    std::string_view rule;
};
[[nodiscard]] const std::vector<StrategyInfo> &strategyTable();

[[nodiscard]] Result<Strategy> parseStrategy(std::string_view text);

/// All option ids of one half ("keep_all" first), in the order of the table in core/README.md.
[[nodiscard]] const std::vector<std::string_view> &optionIds(StageKind half);

/// The schedule of a strategy (embedding first, final norm last; stages below the first trainable one are only run
/// forward). Numbers out of range for the model are errors, and so is `budget`, whose schedule needs costs
/// (plan/planned_strategy.h).
[[nodiscard]] Result<Schedule> makeSchedule(const Strategy &strategy, const ChainShape &shape);

/// Blocks that a schedule reruns (any of their stages is executed forward more than once), ascending.
[[nodiscard]] std::vector<int> recomputedLayers(const Schedule &schedule, const ChainShape &shape);

/// Blocks whose input boundary is kept as a checkpoint for a later forward, ascending.
[[nodiscard]] std::vector<int> checkpointedLayers(const Schedule &schedule, const ChainShape &shape);

} // namespace remat::core
