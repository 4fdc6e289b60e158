// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"

namespace remat::core {

/// One way to treat an item of a multiple-choice knapsack: what it weighs and what it costs.
struct KnapsackChoice
{
    Bytes weight = 0;
    Nanoseconds cost = 0;
};

/// How weights become slots: up, so that a selection keeps the capacity; down, so that the cost is a lower bound.
enum class Rounding { up, down };

struct KnapsackSelection
{
    std::vector<std::size_t> chosen; // one index per item
    Nanoseconds cost = 0;
};

/// One choice per item with the least total cost whose weights together are at most `capacity` (0/1 dynamic program over
/// at most `slots` units; exact where capacity <= slots). Empty where nothing fits.
[[nodiscard]] std::optional<KnapsackSelection> solveKnapsack(const std::vector<std::vector<KnapsackChoice>> &items,
                                                             Bytes capacity, int slots, Rounding rounding);

} // namespace remat::core
