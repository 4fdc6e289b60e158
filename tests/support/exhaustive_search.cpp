// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/exhaustive_search.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace remat::tests {

using namespace core;

namespace {

using State = std::uint32_t;

struct Found
{
    Nanoseconds time = 0;
    Bytes peak = 0; // of one of the fastest schedules
};

/// A state packs, from the low end: bit i for boundary i + 1 being there to read, the option + 1 of each stage's live graph
/// (0: none), and the phase: stages + 1 before the loss, then the number of backwards still to do.
class ExhaustiveSearch
{
public:
    explicit ExhaustiveSearch(const ChainCosts &costs) : m_costs(costs), m_stages(int(costs.stages.size()))
    {
        std::size_t most = 1;
        for (const StageCost &stage : costs.stages) {
            most = std::max(most, stage.options.size());
            m_options.emplace_back();
            for (const auto &[id, option] : stage.options)
                m_options.back().push_back(&option);
        }
        while ((std::size_t(1) << m_optionBits) <= most)
            ++m_optionBits;
        m_phaseAt = m_stages + m_stages * m_optionBits;
        m_states.resize(std::size_t(m_stages + 2) << m_phaseAt);
    }

    std::optional<Found> run(Bytes budget)
    {
        ++m_round;
        m_budget = budget;
        m_buckets.clear();
        Bytes gradients = m_costs.loss.gradientGrowth;
        for (const StageCost &stage : m_costs.stages)
            gradients += stage.gradientGrowth;
        const Bytes floor = m_costs.staticBytes + m_costs.input + gradients + m_costs.optimizer.total;
        if (floor > budget)
            return {};
        reach(State(m_stages + 1) << m_phaseAt, 0, floor);
        for (std::size_t time = 0; time < m_buckets.size(); ++time)
            for (std::size_t i = 0; i < m_buckets[time].size(); ++i) {
                const State state = m_buckets[time][i];
                const Label label = m_states[state];
                if (label.time != Nanoseconds(time) || label.done)
                    continue;
                if (phase(state) == 0)
                    return Found{label.time + m_costs.optimizerNs + m_costs.otherNs, label.peak};
                m_states[state].done = true;
                expand(state, label);
            }
        return {};
    }

private:
    struct Label
    {
        int round = 0;
        bool done = false;
        Nanoseconds time = 0;
        Bytes peak = 0;
    };

    [[nodiscard]] int phase(State state) const { return int(state >> m_phaseAt); }
    [[nodiscard]] int graphAt(int stage) const { return m_stages + stage * m_optionBits; }
    [[nodiscard]] const OptionCost *graph(State state, int stage) const
    {
        const State kept = (state >> graphAt(stage)) & ((State(1) << m_optionBits) - 1);
        return kept == 0 ? nullptr : m_options[std::size_t(stage)][kept - 1];
    }
    [[nodiscard]] static State readBit(int boundary) { return State(1) << (boundary - 1); }
    [[nodiscard]] static bool canRead(State state, int boundary)
    {
        return boundary == 0 || (state & readBit(boundary)) != 0;
    }
    [[nodiscard]] Bytes size(int boundary) const
    {
        return boundary == 0 ? m_costs.input : m_costs.stages[std::size_t(boundary) - 1].output;
    }

    [[nodiscard]] Bytes held(State state) const
    {
        Bytes sum = m_costs.staticBytes + m_costs.input;
        for (int i = 0; i < m_stages; ++i) {
            const OptionCost *kept = graph(state, i);
            sum += kept != nullptr ? kept->saved : 0;
            if (canRead(state, i + 1) || (kept != nullptr && kept->keepsOutput))
                sum += size(i + 1);
        }
        const int next = phase(state);
        if (next > m_stages)
            return sum;
        sum += size(next) + m_costs.loss.gradientGrowth;
        for (int i = next; i < m_stages; ++i)
            sum += m_costs.stages[std::size_t(i)].gradientGrowth;
        return sum;
    }

    void reach(State state, Nanoseconds time, Bytes peak)
    {
        Label &label = m_states[state];
        if (peak > m_budget || (label.round == m_round && label.time <= time))
            return;
        label = {m_round, false, time, peak};
        if (m_buckets.size() <= std::size_t(time))
            m_buckets.resize(std::size_t(time) + 1);
        m_buckets[std::size_t(time)].push_back(state);
    }

    void expand(State state, const Label &label)
    {
        const Bytes before = held(state);
        const int next = phase(state);
        const auto go = [&](State to, Nanoseconds ns, Bytes transient) {
            reach(to, label.time + ns, std::max(label.peak, before + transient));
        };
        for (int i = 0; i < std::min(next, m_stages); ++i) {
            if (canRead(state, i + 1) && (i + 1 == m_stages || graph(state, i + 1) == nullptr))
                reach(state & ~readBit(i + 1), label.time, label.peak);
            if (!canRead(state, i) || canRead(state, i + 1) || graph(state, i) != nullptr)
                continue;
            const StageCost &stage = m_costs.stages[std::size_t(i)];
            go(state | readBit(i + 1), stage.forwardNs, stage.forward.total);
            for (std::size_t k = 0; k < m_options[std::size_t(i)].size(); ++k) {
                const OptionCost &option = *m_options[std::size_t(i)][k];
                const State saved = state | (State(k + 1) << graphAt(i));
                go(saved | readBit(i + 1), option.forwardSaveNs, option.forwardSave.total);
                go(saved, option.phantomNs, option.forwardSavePhantom.total);
            }
        }
        const State below = (State(1) << m_phaseAt) - 1;
        if (next > m_stages) {
            if (canRead(state, m_stages))
                go((state & below & ~readBit(m_stages)) | (State(m_stages) << m_phaseAt), m_costs.loss.ns,
                   m_costs.loss.first.total);
        } else if (const OptionCost *kept = graph(state, next - 1)) {
            const State left
                = state & below & ~readBit(next) & ~(((State(1) << m_optionBits) - 1) << graphAt(next - 1));
            go(left | (State(next - 1) << m_phaseAt), kept->backwardNs + kept->rebuildNs, kept->backwardFirst.total);
        }
    }

    const ChainCosts &m_costs;
    int m_stages;
    std::vector<std::vector<const OptionCost *>> m_options;
    int m_optionBits = 1;
    int m_phaseAt = 0;
    std::vector<Label> m_states;
    std::vector<std::vector<State>> m_buckets; // by time: the times are small whole numbers
    int m_round = 0;
    Bytes m_budget = 0;
};

} // namespace

TimeFront exhaustiveFront(const ChainCosts &costs)
{
    ExhaustiveSearch search(costs);
    TimeFront front;
    Bytes budget = std::numeric_limits<Bytes>::max() / 2;
    while (const auto found = search.run(budget)) {
        if (!front.empty() && front.begin()->second == found->time)
            front.erase(front.begin());
        front[found->peak] = found->time;
        budget = found->peak - 1;
    }
    return front;
}

std::optional<Nanoseconds> leastTime(const TimeFront &front, Bytes budget)
{
    const auto after = front.upper_bound(budget);
    if (after == front.begin())
        return {};
    return std::prev(after)->second;
}

} // namespace remat::tests
