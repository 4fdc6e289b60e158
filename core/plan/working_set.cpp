// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/working_set.h"

#include <algorithm>
#include <limits>

namespace remat::core {

namespace {

constexpr Bytes kNever = std::numeric_limits<Bytes>::max() / 4;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

class SmallestPeak
{
public:
    explicit SmallestPeak(const PlanChain &chain) : m_chain(chain), m_shared(sharedIntervals(chain))
    {
        const int n = chain.size();
        m_cells.resize(at(n) + 1);
        for (int s = 0; s <= n; ++s)
            m_cells[at(s)].resize(at(n - s) + 1);
        for (int length = 0; length <= n; ++length)
            for (int s = 0; s + length <= n; ++s)
                if (m_shared[at(s)][at(length)] == s)
                    m_cells[at(s)][at(length)] = solve(s, s + length);
    }

    SmallestPlan take()
    {
        SmallestPlan plan;
        plan.peak = cell(0, m_chain.size()).peak;
        m_schedule.stages = m_chain.offset + m_chain.size();
        for (int i = 0; i < m_chain.frozen; ++i)
            m_schedule.ops.push_back({OpKind::forward, i, {}});
        emit(0, m_chain.size());
        plan.schedule = std::move(m_schedule);
        return plan;
    }

private:
    struct Cell
    {
        Bytes peak = kNever;
        int split = -1; // counted from the interval's first stage: equal intervals share a cell
        std::size_t option = 0;

        void offer(const Cell &other)
        {
            if (other.peak < peak)
                *this = other;
        }
    };

    [[nodiscard]] const Cell &cell(int s, int t) const { return m_cells[at(m_shared[at(s)][at(t - s)])][at(t - s)]; }

    [[nodiscard]] Cell solve(int s, int t) const
    {
        if (s == m_chain.size())
            return {m_chain.loss, -1, 0};
        Cell best;
        const PlanStage &stage = m_chain.stages[at(s)];
        for (std::size_t k = 0; k < stage.options.size(); ++k) {
            const PlanOption &option = stage.options[k];
            const Bytes backward = stage.backwardNeed(option);
            if (s == t)
                best.offer({std::max(stage.output + option.savePhantom, backward), -1, k});
            else
                best.offer({std::max({m_chain.gradientAfter(t) + option.save, backward + m_chain.gradients(s + 1, t),
                                      option.saved + stage.output + cell(s + 1, t).peak}),
                            -1, k});
        }
        Bytes forwardNeed = stage.forward;
        for (int j = s + 1; j <= t; ++j) {
            best.offer({std::max({m_chain.gradientAfter(t) + forwardNeed, m_chain.boundary(j) + cell(j, t).peak,
                                  m_chain.gradients(j, t) + cell(s, j - 1).peak}),
                        j - s, 0});
            if (j < m_chain.size())
                forwardNeed = std::max(forwardNeed, m_chain.boundary(j) + m_chain.stages[at(j)].forward);
        }
        return best;
    }

    void emit(int s, int t)
    {
        if (s == m_chain.size()) {
            m_schedule.ops.push_back({OpKind::loss, -1, {}});
            return;
        }
        const Cell &chosen = cell(s, t);
        const int offset = m_chain.offset;
        if (chosen.split < 0) {
            m_schedule.ops.push_back(
                {OpKind::forwardSave, offset + s, m_chain.stages[at(s)].options[chosen.option].id});
            if (s < t)
                emit(s + 1, t);
            m_schedule.ops.push_back({OpKind::backward, offset + s, {}});
            return;
        }
        const int split = s + chosen.split;
        for (int i = s; i < split; ++i)
            m_schedule.ops.push_back({OpKind::forward, offset + i, {}});
        emit(split, t);
        emit(s, split - 1);
    }

    const PlanChain &m_chain;
    std::vector<std::vector<int>> m_shared;
    std::vector<std::vector<Cell>> m_cells;
    Schedule m_schedule;
};

} // namespace

SmallestPlan smallestPlan(const PlanChain &chain)
{
    return SmallestPeak(chain).take();
}

Bytes workingSetBound(const PlanChain &chain)
{
    const int n = chain.size();
    Bytes bound = (n > 0 ? chain.boundary(n) : 0) + chain.loss;
    Bytes later = chain.lossGradient;
    Bytes gone = 0; // of the base: what later stages remember, in the first forward not yet and in the backward no more
    for (int i = n - 1; i >= 0; --i) {
        const PlanStage &stage = chain.stages[at(i)];
        const Bytes input = i > 0 ? chain.boundary(i) : 0;
        Bytes forward = stage.forward;
        Bytes backward = kNever;
        for (const PlanOption &option : stage.options) {
            forward = std::min({forward, option.save, option.savePhantom});
            backward = std::min(backward, (option.keepsInput ? input : 0) + stage.backwardNeed(option));
        }
        bound = std::max({bound, input + forward - gone, backward + later - gone});
        later += stage.gradient;
        gone += stage.remembered;
    }
    return bound - chain.unpinned();
}

} // namespace remat::core
