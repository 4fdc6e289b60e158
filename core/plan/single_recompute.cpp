// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/single_recompute.h"

#include <algorithm>
#include <limits>

#include "plan/slots.h"

namespace remat::core {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

SingleRecomputeTable::SingleRecomputeTable(const PlanChain &chain, int slots)
    : m_chain(chain), m_slot(slotFor(chain, slots))
{
    const int n = m_chain.size();
    m_segmentGuard.resize(at(n));
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j <= n; ++j)
            m_segmentGuard[at(i)].push_back(slotsOf(heldInput(i) + segmentNeed(i, j)));
    m_most = static_cast<int>(saveAllPeak(m_chain, m_slot) / m_slot) + 2;
    m_time.assign(at(n) + 1, std::vector<double>(at(m_most) + 1, kNever));
    const int loss = slotsOf(heldInput(n) + m_chain.loss);
    for (int m = loss; m <= m_most; ++m)
        m_time[at(n)][at(m)] = static_cast<double>(m_chain.lossNs);
    for (int i = n - 1; i >= 0; --i)
        for (int m = 0; m <= m_most; ++m)
            m_time[at(i)][at(m)] = choose(i, m).time;
}

/// The most that running segment [first, end) forward and, later, again with its backwards needs besides its input.
Bytes SingleRecomputeTable::segmentNeed(int first, int end) const
{
    Bytes need = 0;
    for (int k = first; k < end; ++k)
        need = std::max(need, (k > first ? m_chain.boundary(k) : 0) + m_chain.stages[at(k)].forward);
    const Bytes gradient = m_chain.boundary(end) + gradients(end);
    Bytes held = 0;
    for (int k = first; k < end; ++k) {
        const PlanStage &stage = m_chain.stages[at(k)];
        const PlanOption &option = stage.options.front();
        need = std::max(need, gradient + held + (k + 1 == end ? option.savePhantom : option.save));
        need = std::max(need, held + stage.backwardNeed(option) + gradients(k + 1));
        held += option.saved + stage.output;
    }
    return need;
}

double SingleRecomputeTable::best(int i, int slots) const
{
    return slots < 0 ? kNever : m_time[at(i)][at(std::min(slots, m_most))];
}

SingleRecomputeTable::Choice SingleRecomputeTable::choose(int i, int slots) const
{
    Choice best{-1, 0, kNever};
    const PlanStage &stage = m_chain.stages[at(i)];
    const Bytes input = heldInput(i);
    for (std::size_t k = 0; k < stage.options.size(); ++k) {
        const PlanOption &option = stage.options[k];
        const Bytes backward = stage.backwardNeed(option) + gradients(i + 1);
        if (slotsOf(input + std::max(option.save, backward)) > slots)
            continue;
        const double time = static_cast<double>(option.saveNs + option.backwardNs)
            + this->best(i + 1, slots - slotsOf(input + option.saved));
        if (time < best.time)
            best = {-1, k, time};
    }
    double segment = 0.0;
    const int held = slotsOf(input);
    for (int j = i + 1; j <= m_chain.size(); ++j) {
        const PlanStage &last = m_chain.stages[at(j) - 1];
        const PlanOption &option = last.options.front();
        const double forward = static_cast<double>(last.forwardNs + option.backwardNs);
        if (m_segmentGuard[at(i)][at(j - i) - 1] <= slots) {
            const double time = segment + forward + static_cast<double>(option.phantomNs) + this->best(j, slots - held);
            if (time < best.time)
                best = {j, 0, time};
        }
        segment += forward + static_cast<double>(option.saveNs);
    }
    return best;
}

double SingleRecomputeTable::time(int slots) const
{
    return best(0, slots);
}

std::vector<int> SingleRecomputeTable::breakpoints() const
{
    return dropsOf(0, m_most, [&](int slots) { return time(slots); });
}

Schedule SingleRecomputeTable::schedule(int slots) const
{
    Schedule schedule;
    const int n = m_chain.size();
    const int offset = m_chain.offset;
    schedule.stages = offset + n;
    for (int i = 0; i < m_chain.frozen; ++i)
        schedule.ops.push_back({OpKind::forward, i, {}});
    std::vector<Op> tail; // what follows the loss, backwards
    for (int i = 0; i < n;) {
        const Choice choice = choose(i, slots);
        if (choice.segmentEnd < 0) {
            const PlanOption &option = m_chain.stages[at(i)].options[choice.option];
            schedule.ops.push_back({OpKind::forwardSave, offset + i, option.id});
            tail.push_back({OpKind::backward, offset + i, {}});
            slots -= slotsOf(heldInput(i) + option.saved);
            ++i;
            continue;
        }
        for (int k = i; k < choice.segmentEnd; ++k) {
            schedule.ops.push_back({OpKind::forward, offset + k, {}});
            tail.push_back({OpKind::backward, offset + k, {}});
        }
        for (int k = choice.segmentEnd - 1; k >= i; --k)
            tail.push_back({OpKind::forwardSave, offset + k, m_chain.stages[at(k)].options.front().id});
        slots -= slotsOf(heldInput(i));
        i = choice.segmentEnd;
    }
    schedule.ops.push_back({OpKind::loss, -1, {}});
    schedule.ops.insert(schedule.ops.end(), tail.rbegin(), tail.rend());
    return schedule;
}

} // namespace remat::core
