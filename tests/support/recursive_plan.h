// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "schedule/chain_costs.h"

namespace remat::tests {

/// The recursion of the optimal planner written down once more, top down and byte by byte on the costs themselves: the
/// definition that tables are compared with. One micro-batch, everything trained, no remembered bytes.
class RecursivePlan
{
public:
    explicit RecursivePlan(const core::ChainCosts &costs) : m_costs(costs), m_last(int(costs.stages.size())) { }

    /// Least time of the forward-backward with a budget that counts static bytes and the input; empty: nothing fits.
    [[nodiscard]] std::optional<core::Nanoseconds> time(core::Bytes budget);

private:
    using Time = std::optional<core::Nanoseconds>;

    [[nodiscard]] const core::StageCost &stage(int i) const { return m_costs.stages[std::size_t(i)]; }
    [[nodiscard]] core::Bytes boundary(int i) const { return i == 0 ? m_costs.input : stage(i - 1).output; }
    [[nodiscard]] core::Bytes gradients(int s, int t) const;
    [[nodiscard]] Time solve(int s, int t, core::Bytes m);
    [[nodiscard]] Time keep(int s, int t, core::Bytes m);
    [[nodiscard]] Time keepOnlyInput(int s, int t, core::Bytes m);

    const core::ChainCosts &m_costs;
    int m_last; // index of the loss
    std::map<std::tuple<int, int, core::Bytes>, Time> m_known;
};

} // namespace remat::tests
