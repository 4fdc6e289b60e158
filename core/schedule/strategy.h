// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
    file
};

/// A named rule that yields a schedule for a model of N blocks. `text` is the canonical spelling ("every:2").
/// A plain value; parseStrategy makes it.
struct Strategy
{
    StrategyKind kind = StrategyKind::none;
    int n = 0;               // N, K or S of the rule, where it has one
    std::vector<int> layers; // layers:…, ascending, without repeats
    std::string path;        // file:…
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

/// The schedule of a strategy for `layers` blocks of two stages (embedding first, final norm last). `option` is set on
/// every ForwardSave of a feed-forward half (empty: keep_all). Numbers out of range for the model are errors.
[[nodiscard]] Result<Schedule> makeSchedule(const Strategy &strategy, int layers,
                                            std::string_view feedForwardOption = {});

/// Blocks that a schedule reruns (any of their stages is executed forward more than once), ascending.
[[nodiscard]] std::vector<int> recomputedLayers(const Schedule &schedule, int layers);

/// Blocks whose input boundary is kept as a checkpoint for a later forward, ascending.
[[nodiscard]] std::vector<int> checkpointedLayers(const Schedule &schedule, int layers);

} // namespace remat::core
