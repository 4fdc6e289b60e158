// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "plan/plan_problem.h"
#include "schedule/schedule.h"

namespace remat::core {

/// The best plans in which every stage is run at most twice: going forward, a stage is either saved (one of its options)
/// or starts a segment whose input is kept and which is rerun whole when its backward comes. With m slots left,
///
///     V(i, m) = min( extra of saving + V(i+1, m - w_i - S_i);  Σ f_i … f_{j-1} + V(j, m - w_i), segment [i, j) ),
///
/// where the recomputation of a segment, each stage as it is by default, must fit beside what is held at its start. Optimal
/// among schedules of this form up to rounding to slots; O(M n²) after an O(n³) preparation. Immutable once made.
class SingleRecomputeTable
{
public:
    explicit SingleRecomputeTable(const PlanChain &chain, int slots = 0);

    [[nodiscard]] Bytes slotBytes() const { return m_slot; }
    [[nodiscard]] double time(int slots) const;
    [[nodiscard]] std::vector<int> breakpoints() const;
    [[nodiscard]] Schedule schedule(int slots) const;

private:
    struct Choice
    {
        int segmentEnd = -1; // -1: saved
        std::size_t option = 0;
        double time = 0.0;
    };

    /// Sizes that no table holds are cut: they never fit.
    [[nodiscard]] int slotsOf(Bytes bytes) const
    {
        return static_cast<int>(std::min<Bytes>((bytes + m_slot - 1) / m_slot, 1 << 29));
    }
    [[nodiscard]] Bytes gradients(int from) const { return m_chain.gradients(from, m_chain.size()); }
    [[nodiscard]] Bytes segmentNeed(int first, int end) const;
    [[nodiscard]] Bytes heldInput(int i) const { return i == 0 ? 0 : m_chain.boundary(i); }
    [[nodiscard]] double best(int i, int slots) const;
    [[nodiscard]] Choice choose(int i, int slots) const;

    PlanChain m_chain;
    Bytes m_slot = 1;
    int m_most = 0;
    std::vector<std::vector<int>> m_segmentGuard; // [i][j - i - 1], slots, what is held at i included
    std::vector<std::vector<double>> m_time;      // [i][slots]
};

} // namespace remat::core
