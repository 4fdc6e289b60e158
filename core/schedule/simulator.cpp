// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/simulator.h"

#include <algorithm>

namespace remat::core {

namespace {

constexpr int kNone = -1;

struct Held
{
    Bytes total = 0;
    Bytes activation = 0;

    void add(Bytes bytes)
    {
        total += bytes;
        activation += bytes;
    }
};

/// One production of a boundary: counted once while the executor holds it or a live graph pins it.
struct Production
{
    Bytes bytes = 0;
    int holders = 0;
};

class StepSimulator
{
public:
    StepSimulator(const Schedule &schedule, const Liveness &liveness, const ChainCosts &costs)
        : m_schedule(schedule),
          m_facts(liveness.facts),
          m_costs(costs),
          m_first(liveness.firstTrainable),
          m_current(static_cast<std::size_t>(schedule.stages) + 1, kNone),
          m_pinnedInput(static_cast<std::size_t>(schedule.stages), kNone),
          m_pinnedOutput(static_cast<std::size_t>(schedule.stages), kNone),
          m_graph(static_cast<std::size_t>(schedule.stages), nullptr)
    {
        m_held.total = costs.staticBytes + costs.input;
        m_held.activation = costs.input;
    }

    Simulation run()
    {
        for (m_microBatch = 0; m_microBatch < m_costs.microBatches; ++m_microBatch)
            for (m_at = 0; m_at < static_cast<int>(m_schedule.ops.size()); ++m_at)
                take(m_schedule.ops[index(m_at)]);
        m_at = kNone;
        m_microBatch = std::max(0, m_costs.microBatches - 1);
        record(m_costs.optimizer, m_costs.optimizerNs, [this] { m_held.total -= m_gradients; });
        m_result.stepNs = m_clock + m_costs.otherNs;
        return std::move(m_result);
    }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] bool gradientsAppear() const { return m_microBatch == 0 && !m_costs.gradientsKept; }
    [[nodiscard]] Bytes boundaryBytes(int boundary) const
    {
        return boundary == 0 ? m_costs.input : m_costs.stages[index(boundary - 1)].output;
    }

    void growGradients(Bytes bytes)
    {
        if (!gradientsAppear())
            return;
        m_gradients += bytes;
        m_held.total += bytes;
    }

    template <typename Change>
    void record(const Transient &transient, Nanoseconds ns, Change change, int remembering = kNone)
    {
        SimulatedOp op;
        op.op = m_at;
        op.microBatch = m_microBatch;
        op.heldBefore = m_held.total;
        op.activationBefore = m_held.activation;
        remember(remembering);
        op.peak = m_held.total + transient.total;
        op.activationPeak = m_held.activation + transient.activation;
        change();
        op.heldAfter = m_held.total;
        op.activationAfter = m_held.activation;
        op.begin = m_clock;
        m_clock += ns;
        op.end = m_clock;
        m_result.ops.push_back(op);
        const int at = static_cast<int>(m_result.ops.size()) - 1;
        if (m_result.peakIndex == kNone || op.peak > m_result.peak) {
            m_result.peak = op.peak;
            m_result.peakIndex = at;
        }
        if (m_result.activationPeakIndex == kNone || op.activationPeak > m_result.activationPeak) {
            m_result.activationPeak = op.activationPeak;
            m_result.activationPeakIndex = at;
        }
    }

    int produce(int boundary)
    {
        m_productions.push_back({boundaryBytes(boundary), 0});
        m_held.add(boundaryBytes(boundary));
        return static_cast<int>(m_productions.size()) - 1;
    }
    void hold(int production)
    {
        if (production != kNone)
            ++m_productions[index(production)].holders;
    }
    void release(int production)
    {
        if (production == kNone)
            return;
        Production &held = m_productions[index(production)];
        if (--held.holders == 0)
            m_held.add(-held.bytes);
    }

    void take(const Op &op)
    {
        switch (op.kind) {
        case OpKind::forward:
            return takeForward(op.stage);
        case OpKind::forwardSave:
            return takeForwardSave(op);
        case OpKind::loss:
            return takeLoss();
        case OpKind::backward:
            return takeBackward(op.stage);
        }
    }

    void dropInputAfterLastRead(int boundary)
    {
        if (!m_facts[index(m_at)].lastReadOfInput || boundary == 0)
            return;
        release(m_current[index(boundary)]);
        m_current[index(boundary)] = kNone;
    }

    void countForward(Nanoseconds ns)
    {
        const OpFacts &facts = m_facts[index(m_at)];
        if (m_microBatch != 0)
            return;
        if (facts.outputKept)
            ++m_result.keptBoundaries;
        if (!facts.recomputation)
            return;
        ++m_result.recomputedForwards;
        m_result.extraForwardNs += ns;
    }

    /// What a stage remembers is there before its first execution can peak.
    void remember(int stage)
    {
        if (stage >= m_first && stage != kNone && !m_facts[index(m_at)].recomputation)
            m_held.add(m_costs.stages[index(stage)].remembered);
    }

    void takeForward(int stage)
    {
        const StageCost &cost = m_costs.stages[index(stage)];
        countForward(cost.forwardNs);
        record(
            cost.forward, cost.forwardNs,
            [&] {
                const int output = produce(stage + 1);
                hold(output);
                dropInputAfterLastRead(stage);
                m_current[index(stage + 1)] = output;
            },
            stage);
    }

    void takeForwardSave(const Op &op)
    {
        const StageCost &stage = m_costs.stages[index(op.stage)];
        const OptionCost &cost = stage.options.at(op.option);
        const bool phantom = m_facts[index(m_at)].phantomOutput;
        const Nanoseconds ns = phantom ? cost.phantomNs : cost.forwardSaveNs;
        countForward(ns);
        record(
            phantom ? cost.forwardSavePhantom : cost.forwardSave, ns,
            [&] {
                m_held.add(cost.saved);
                m_graph[index(op.stage)] = &cost;
                if (op.stage > 0 && cost.keepsInput) {
                    m_pinnedInput[index(op.stage)] = m_current[index(op.stage)];
                    hold(m_pinnedInput[index(op.stage)]);
                }
                int output = kNone;
                if (!phantom || cost.keepsOutput)
                    output = produce(op.stage + 1);
                if (cost.keepsOutput) {
                    m_pinnedOutput[index(op.stage)] = output;
                    hold(output);
                }
                if (!phantom)
                    hold(output);
                dropInputAfterLastRead(op.stage);
                m_current[index(op.stage + 1)] = phantom ? kNone : output;
            },
            op.stage);
    }

    void takeLoss()
    {
        const LossCost &cost = m_costs.loss;
        record(gradientsAppear() ? cost.first : cost.later, cost.ns, [&] {
            m_held.add(boundaryBytes(m_schedule.stages));
            growGradients(cost.gradientGrowth);
            dropInputAfterLastRead(m_schedule.stages);
        });
    }

    void takeBackward(int stage)
    {
        const OptionCost &cost = *m_graph[index(stage)];
        if (m_microBatch == 0)
            m_result.extraForwardNs += cost.rebuildNs;
        record(gradientsAppear() ? cost.backwardFirst : cost.backwardLater, cost.backwardNs + cost.rebuildNs, [&] {
            // The first trainable stage hands no gradient on, except the bare input of a chain file.
            const Bytes gradient = stage > m_first || m_first == 0 ? boundaryBytes(stage) : 0;
            m_held.add(gradient - boundaryBytes(stage + 1) - cost.saved);
            growGradients(m_costs.stages[index(stage)].gradientGrowth);
            m_held.add(-m_costs.stages[index(stage)].remembered);
            release(m_pinnedInput[index(stage)]);
            release(m_pinnedOutput[index(stage)]);
            m_pinnedInput[index(stage)] = kNone;
            m_pinnedOutput[index(stage)] = kNone;
            if (stage == m_first)
                m_held.add(-gradient);
        });
    }

    const Schedule &m_schedule;
    const std::vector<OpFacts> &m_facts;
    const ChainCosts &m_costs;
    int m_first;
    std::vector<int> m_current;     // per boundary: the production that the executor holds
    std::vector<int> m_pinnedInput; // per stage: the production that its live graph pins
    std::vector<int> m_pinnedOutput;
    std::vector<const OptionCost *> m_graph;
    std::vector<Production> m_productions;
    Held m_held;
    Bytes m_gradients = 0; // that appeared in this step
    Nanoseconds m_clock = 0;
    int m_at = 0;
    int m_microBatch = 0;
    Simulation m_result;
};

Result<void> checkCosts(const Schedule &schedule, const ChainCosts &costs)
{
    if (static_cast<std::size_t>(schedule.stages) != costs.stages.size())
        return Error{ErrorCode::refused,
                     "The schedule is for " + std::to_string(schedule.stages) + " stages, the costs are for "
                         + std::to_string(costs.stages.size()) + "."};
    for (const Op &op : schedule.ops) {
        if (op.kind != OpKind::forwardSave || op.stage < 0 || op.stage >= schedule.stages)
            continue;
        if (!costs.stages[static_cast<std::size_t>(op.stage)].options.contains(op.option))
            return Error{ErrorCode::refused,
                         "There are no costs for " + toString(op) + "; this option was not probed."};
    }
    return {};
}

} // namespace

std::string peakOp(const Schedule &schedule, const Simulation &simulation)
{
    const int op = simulation.ops[static_cast<std::size_t>(simulation.peakIndex)].op;
    return op < 0 ? "optimizer" : toString(schedule.ops[static_cast<std::size_t>(op)]);
}

Result<Simulation> simulate(const Schedule &schedule, const ChainCosts &costs)
{
    if (auto checked = checkCosts(schedule, costs); !checked)
        return checked.error();
    const auto liveness = analyse(schedule, costs.firstTrainable);
    if (!liveness)
        return liveness.error();
    return StepSimulator(schedule, *liveness, costs).run();
}

} // namespace remat::core
