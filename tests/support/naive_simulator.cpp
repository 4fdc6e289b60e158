// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/naive_simulator.h"

#include <algorithm>

namespace remat::tests {

using namespace core;

namespace {

bool isForward(const Op &op)
{
    return op.kind == OpKind::forward || op.kind == OpKind::forwardSave;
}

int readBoundary(const Op &op, int stages)
{
    if (op.kind == OpKind::loss)
        return stages;
    return isForward(op) ? op.stage : -1;
}

/// Does anything after `after` read the boundary that op `made` makes, before it is made again?
bool readLater(const Schedule &s, std::size_t made, std::size_t after)
{
    const int boundary = s.ops[made].stage + 1;
    for (std::size_t i = made + 1; i < s.ops.size(); ++i) {
        if (i > after && readBoundary(s.ops[i], s.stages) == boundary)
            return true;
        if (isForward(s.ops[i]) && s.ops[i].stage + 1 == boundary)
            return false;
    }
    return false;
}

std::size_t find(const Schedule &s, OpKind kind, int stage)
{
    for (std::size_t i = 0; i < s.ops.size(); ++i)
        if (s.ops[i].kind == kind && s.ops[i].stage == stage)
            return i;
    return s.ops.size();
}

/// The op that runs `stage` for the first time.
std::size_t firstRun(const Schedule &s, int stage)
{
    return std::min(find(s, OpKind::forward, stage), find(s, OpKind::forwardSave, stage));
}

/// Is the graph of `stage` alive after op `after`?
bool graphAlive(const Schedule &s, int stage, std::size_t after)
{
    return find(s, OpKind::forwardSave, stage) <= after && find(s, OpKind::backward, stage) > after;
}

/// Does the boundary made at `made` exist after op `after` (made <= after)?
bool boundaryAlive(const Schedule &s, const ChainCosts &c, std::size_t made, std::size_t after)
{
    if (readLater(s, made, after))
        return true;
    const int stage = s.ops[made].stage;
    if (s.ops[made].kind == OpKind::forwardSave
        && c.stages[std::size_t(stage)].options.at(s.ops[made].option).keepsOutput && graphAlive(s, stage, after))
        return true;
    const int reader = stage + 1;
    if (reader >= s.stages || !graphAlive(s, reader, after))
        return false;
    // The reader's graph pins the last production before it was saved.
    const std::size_t saved = find(s, OpKind::forwardSave, reader);
    if (!c.stages[std::size_t(reader)].options.at(s.ops[saved].option).keepsInput || saved < made)
        return false;
    for (std::size_t i = made + 1; i < saved; ++i)
        if (isForward(s.ops[i]) && s.ops[i].stage == stage)
            return false;
    return true;
}

struct HeldNow
{
    Bytes activation = 0;
    Bytes gradients = 0;
    int boundaries = 0;
};

HeldNow heldAfter(const Schedule &s, const ChainCosts &c, std::size_t after, bool gradientsAppear)
{
    HeldNow held;
    held.activation = c.input;
    held.boundaries = 1;
    bool lossDone = false;
    int lowestDone = s.stages;
    for (std::size_t i = 0; i <= after; ++i) {
        const Op &op = s.ops[i];
        lossDone = lossDone || op.kind == OpKind::loss;
        if (op.kind == OpKind::backward)
            lowestDone = op.stage;
        if (isForward(op) && boundaryAlive(s, c, i, after)) {
            held.activation += c.stages[std::size_t(op.stage)].output;
            ++held.boundaries;
        }
        if (op.kind == OpKind::forwardSave && graphAlive(s, op.stage, after))
            held.activation += c.stages[std::size_t(op.stage)].options.at(op.option).saved;
    }
    for (int stage = c.firstTrainable; stage < s.stages; ++stage)
        if (firstRun(s, stage) <= after && find(s, OpKind::backward, stage) > after)
            held.activation += c.stages[std::size_t(stage)].remembered;
    // Below the first trainable stage nobody wants a gradient.
    if (lossDone && lowestDone > c.firstTrainable)
        held.activation += c.stages[std::size_t(lowestDone - 1)].output;
    if (gradientsAppear) {
        held.gradients += lossDone ? c.loss.gradientGrowth : 0;
        for (int stage = lowestDone; stage < s.stages; ++stage)
            held.gradients += c.stages[std::size_t(stage)].gradientGrowth;
    }
    return held;
}

Transient transientOf(const Schedule &s, const ChainCosts &c, std::size_t at, bool gradientsAppear)
{
    const Op &op = s.ops[at];
    if (op.kind == OpKind::loss)
        return gradientsAppear ? c.loss.first : c.loss.later;
    const StageCost &stage = c.stages[std::size_t(op.stage)];
    if (op.kind == OpKind::forward)
        return stage.forward;
    if (op.kind == OpKind::forwardSave) {
        const OptionCost &cost = stage.options.at(op.option);
        return readLater(s, at, at) ? cost.forwardSave : cost.forwardSavePhantom;
    }
    const std::size_t saved = find(s, OpKind::forwardSave, op.stage);
    const OptionCost &cost = stage.options.at(s.ops[saved].option);
    return gradientsAppear ? cost.backwardFirst : cost.backwardLater;
}

} // namespace

NaiveResult naiveSimulation(const Schedule &schedule, const ChainCosts &costs)
{
    NaiveResult result;
    Bytes allGradients = costs.loss.gradientGrowth;
    for (int stage = costs.firstTrainable; stage < schedule.stages; ++stage)
        allGradients += costs.stages[std::size_t(stage)].gradientGrowth;
    for (int microBatch = 0; microBatch < costs.microBatches; ++microBatch) {
        const bool appear = microBatch == 0 && !costs.gradientsKept;
        HeldNow held{costs.input, 0, 1};
        for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
            Transient transient = transientOf(schedule, costs, i, appear);
            const Op &op = schedule.ops[i];
            if (isForward(op) && op.stage >= costs.firstTrainable && firstRun(schedule, op.stage) == i) {
                transient.total += costs.stages[std::size_t(op.stage)].remembered;
                transient.activation += costs.stages[std::size_t(op.stage)].remembered;
            }
            const Bytes gradients = appear ? held.gradients : (costs.gradientsKept ? 0 : allGradients);
            result.peak = std::max(result.peak, costs.staticBytes + held.activation + gradients + transient.total);
            result.activationPeak = std::max(result.activationPeak, held.activation + transient.activation);
            held = heldAfter(schedule, costs, i, appear);
            result.mostBoundaries = std::max(result.mostBoundaries, held.boundaries);
        }
    }
    const Bytes gradients = costs.gradientsKept ? 0 : allGradients;
    result.peak = std::max(result.peak, costs.staticBytes + costs.input + gradients + costs.optimizer.total);
    result.activationPeak = std::max(result.activationPeak, costs.input + costs.optimizer.activation);
    result.forwards = int(std::count_if(schedule.ops.begin(), schedule.ops.end(), isForward));
    return result;
}

ChainCosts homogeneousChain(int layers, Bytes a, Bytes b, bool graphKeepsOutput)
{
    ChainCosts costs;
    costs.source = CostSource::chainFile;
    costs.input = b;
    OptionCost option;
    option.saved = a - b;
    option.keepsOutput = graphKeepsOutput;
    option.forwardSave = {a, a};
    option.forwardSavePhantom = graphKeepsOutput ? option.forwardSave : Transient{a - b, a - b};
    option.backwardFirst = option.backwardLater = {b, b};
    option.forwardSaveNs = option.phantomNs = 1;
    option.backwardNs = 2;
    StageCost stage;
    stage.output = b;
    stage.forward = {b, b};
    stage.forwardNs = 1;
    stage.options[""] = option;
    costs.stages.assign(std::size_t(layers), stage);
    costs.loss.first = costs.loss.later = {b, b};
    return costs;
}

Schedule oneStagePerLayer(const Schedule &schedule)
{
    Schedule result;
    result.stages = (schedule.stages - 2) / 2;
    for (Op op : schedule.ops) {
        if (op.kind != OpKind::loss) {
            if (op.stage % 2 != 0 || op.stage == 0)
                continue;
            op.stage = op.stage / 2 - 1;
        }
        result.ops.push_back(op);
    }
    return result;
}

} // namespace remat::tests
