// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/chain_table.h"

#include <algorithm>
#include <limits>

#include "plan/slots.h"

namespace remat::core {

namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

float ChainTable::Row::at(int slots) const
{
    if (slots < lo || times.empty())
        return kNever;
    return slots < end() ? times[static_cast<std::size_t>(slots - lo)] : times.back();
}

const ChainTable::Row &ChainTable::row(int s, int t) const
{
    return m_rows[at(m_shared[at(s)][at(t - s)])][at(t - s)];
}

int ChainTable::roundingSlots() const
{
    const auto excess = [this](Bytes bytes) { return static_cast<Bytes>(slotsFor(bytes)) * m_slot - bytes; };
    Bytes sum = excess(m_chain.lossGradient) + m_slot; // and the guard of the op that peaks
    for (const PlanStage &stage : m_chain.stages) {
        // Of each stage a graph with its output is held, or the output alone.
        Bytes most = excess(stage.output);
        for (const PlanOption &option : stage.options)
            most = std::max(most, excess(option.saved + stage.output));
        sum += most + excess(stage.gradient);
    }
    return slotsFor(sum);
}

int ChainTable::keepGuard(int s, int t, const PlanOption &option) const
{
    return slotsFor(std::max(m_chain.gradientAfter(t) + option.save,
                             m_chain.stages[at(s)].backwardNeed(option) + m_chain.gradients(s + 1, t)));
}

int ChainTable::loneGuard(int s, const PlanOption &option) const
{
    const PlanStage &stage = m_chain.stages[at(s)];
    return slotsFor(std::max(stage.output + option.savePhantom, stage.backwardNeed(option)));
}

ChainTable::Choice ChainTable::choose(int s, int t, int slots) const
{
    Choice best{-1, 0, kNever};
    const PlanStage &stage = m_chain.stages[at(s)];
    for (std::size_t k = 0; k < stage.options.size(); ++k) {
        const PlanOption &option = stage.options[k];
        if (slots < (s == t ? loneGuard(s, option) : keepGuard(s, t, option)))
            continue;
        const float own = static_cast<float>((s == t ? option.phantomNs : option.saveNs) + option.backwardNs);
        const float rest = s == t ? 0.0F : row(s + 1, t).at(slots - slotsFor(option.saved + stage.output));
        if (own + rest < best.time)
            best = {-1, k, own + rest};
    }
    Bytes forwardNeed = stage.forward;
    int gradients = gradientSlots(s + 1, t);
    for (int j = s + 1; j <= t; ++j) {
        if (slotsFor(m_chain.gradientAfter(t) + forwardNeed) > slots)
            break;
        const float forward = static_cast<float>(m_forwardUpTo[at(j)] - m_forwardUpTo[at(s)]);
        const float time
            = forward + row(j, t).at(slots - slotsFor(m_chain.boundary(j))) + row(s, j - 1).at(slots - gradients);
        if (time < best.time)
            best = {j, 0, time};
        if (j == m_chain.size())
            break;
        gradients -= slotsFor(m_chain.stages[at(j)].gradient);
        forwardNeed = std::max(forwardNeed, m_chain.boundary(j) + m_chain.stages[at(j)].forward);
    }
    return best;
}

double ChainTable::time(int slots) const
{
    return static_cast<double>(row(0, m_chain.size()).at(slots));
}

std::vector<int> ChainTable::breakpoints() const
{
    const Row &root = row(0, m_chain.size());
    return dropsOf(root.lo, root.end() - 1, [&](int slots) { return time(slots); });
}

/// Follows the choices of a table from an interval down to its ops.
class ChainPlanReader
{
public:
    explicit ChainPlanReader(const ChainTable &table) : m_table(table), m_chain(table.m_chain) { }

    Schedule read(int slots)
    {
        m_schedule.stages = m_chain.offset + m_chain.size();
        for (int i = 0; i < m_chain.frozen; ++i)
            m_schedule.ops.push_back({OpKind::forward, i, {}});
        interval(0, m_chain.size(), slots);
        return std::move(m_schedule);
    }

private:
    void interval(int s, int t, int slots)
    {
        if (s == m_chain.size()) {
            m_schedule.ops.push_back({OpKind::loss, -1, {}});
            return;
        }
        const auto choice = m_table.choose(s, t, slots);
        if (choice.split < 0) {
            const PlanStage &stage = m_chain.stages[at(s)];
            const PlanOption &option = stage.options[choice.option];
            m_schedule.ops.push_back({OpKind::forwardSave, m_chain.offset + s, option.id});
            if (s < t)
                interval(s + 1, t, slots - m_table.slotsFor(option.saved + stage.output));
            m_schedule.ops.push_back({OpKind::backward, m_chain.offset + s, {}});
            return;
        }
        const int j = choice.split;
        for (int i = s; i < j; ++i)
            m_schedule.ops.push_back({OpKind::forward, m_chain.offset + i, {}});
        interval(j, t, slots - m_table.slotsFor(m_chain.boundary(j)));
        interval(s, j - 1, slots - m_table.gradientSlots(j, t));
    }

    const ChainTable &m_table;
    const PlanChain &m_chain;
    Schedule m_schedule;
};

Schedule ChainTable::schedule(int slots) const
{
    return ChainPlanReader(*this).read(slots);
}

} // namespace remat::core
