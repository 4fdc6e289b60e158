// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stop_token>
#include <vector>

#include "plan/plan_problem.h"
#include "schedule/schedule.h"

namespace remat::core {

/// How fine the table is, and up to which budget it reaches (0: as far as more memory helps). `slots` > 0 sets the number
/// of slots up to the save-all peak; 0 takes the coarsest slot with which save-all, every size rounded up, is at most
/// 0.5 % above its exact peak.
struct TableLimits
{
    int slots = 0;
    Bytes largest = 0; // in the units of PlanChain: without its base
};

/// The full dynamic program with options: for every interval of stages [s, t] and every memory m the least time
///
///     C(s, t, m) = min( keep: f_s + g_s + C(s+1, t, m - W_s), one term per option;
///                       recompute: Σ f_s … f_{j-1} + C(j, t, m - w_j) + C(s, j-1, m), s < j <= t )
///
/// (Beaumont et al., arXiv 1911.13214, with the guard of "keep" on the gradient after t, options after Zhao et al.,
/// "Rockmate", and gradients that grow). Optimal among persistent schedules. Sizes are rounded up to slots, so every plan
/// keeps its budget. Immutable once made: rows are only read by plans, from any thread.
class ChainTable
{
public:
    /// Fails where the table would not fit (thousands of unlike stages) or was stopped.
    [[nodiscard]] static Result<ChainTable> make(const PlanChain &chain, const TableLimits &limits,
                                                 std::stop_token stop = {});

    [[nodiscard]] Bytes slotBytes() const { return m_slot; }
    /// By how many slots at most the rounded peak of a plan is above its exact one.
    [[nodiscard]] int roundingSlots() const;
    /// Least time with that many slots; infinite where nothing fits.
    [[nodiscard]] double time(int slots) const;
    /// The numbers of slots at which the time drops, ascending: one per point of the Pareto curve.
    [[nodiscard]] std::vector<int> breakpoints() const;
    /// The ops of the optimum with that many slots, frozen stages included. time(slots) must be finite.
    [[nodiscard]] Schedule schedule(int slots) const;

private:
    /// Least times of one interval for lo, lo + 1, … slots; what is beyond the end has the last value.
    struct Row
    {
        int lo = 0;
        std::vector<float> times;
        int fullAt = 0; // slots from which more memory no longer helps
        [[nodiscard]] int end() const { return lo + static_cast<int>(times.size()); }
        [[nodiscard]] float at(int slots) const;
    };
    /// The best way on for an interval: keep stage s with `option`, or recompute up to `split`.
    struct Choice
    {
        int split = -1;
        std::size_t option = 0;
        float time = 0.0F;
    };

    friend class ChainTableBuilder;
    friend class ChainPlanReader;

    static constexpr int kCut = 1 << 29;

    explicit ChainTable(const PlanChain &chain) : m_chain(chain) { }
    /// Sizes that no table holds are cut, so that no sum leaves the range of int.
    [[nodiscard]] static int sumOf(int a, int b) { return std::min(a + b, kCut); }
    [[nodiscard]] int slotsFor(Bytes bytes) const
    {
        return static_cast<int>(std::min<Bytes>((bytes + m_slot - 1) / m_slot, kCut));
    }
    [[nodiscard]] const Row &row(int s, int t) const;
    [[nodiscard]] Choice choose(int s, int t, int slots) const;
    [[nodiscard]] int keepGuard(int s, int t, const PlanOption &option) const;
    [[nodiscard]] int loneGuard(int s, const PlanOption &option) const;
    [[nodiscard]] int gradientSlots(int s, int t) const
    {
        return m_gradientSlotsUpTo[static_cast<std::size_t>(t) + 1] - m_gradientSlotsUpTo[static_cast<std::size_t>(s)];
    }

    PlanChain m_chain;
    Bytes m_slot = 1;
    int m_largest = 0;
    std::vector<std::vector<int>> m_shared;
    std::vector<std::vector<Row>> m_rows; // [s][t - s], only those that share with nobody before
    std::vector<int> m_gradientSlotsUpTo; // the chain's sums in slots, each stage's rounded up
    std::vector<double> m_forwardUpTo;
};

} // namespace remat::core
