// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/stage.h"
#include "schedule/chain_costs.h"

namespace remat::core {

/// Stages [first, last] that users count as one block; the simple rules checkpoint blocks as wholes.
struct BlockRange
{
    int first = 0;
    int last = 0;
};

/// What planners plan for: costs of a chain, and which stages form the blocks. Stages outside every block (embedding,
/// final norm) are saved in the forward by the simple rules; the optimal planner may treat them like any other.
struct PlanProblem
{
    ChainCosts costs;
    std::vector<BlockRange> blocks; // ascending, those that are trained
};

/// A model's chain, blocks as in `shape`; and an abstract chain, in which every stage is a block of its own.
[[nodiscard]] PlanProblem planProblem(ChainCosts costs, const ChainShape &shape);
[[nodiscard]] PlanProblem planProblem(ChainCosts chain);

/// One way to run a stage with its graph, as the recursions see it.
struct PlanOption
{
    std::string id;
    Bytes saved = 0;
    bool keepsInput = true;
    bool keepsOutput = false;
    Bytes save = 0;        // transient of the saving forward, its output included
    Bytes savePhantom = 0; // the same where nobody reads the output
    Bytes backward = 0;    // transient of the backward
    Nanoseconds saveNs = 0;
    Nanoseconds phantomNs = 0;
    Nanoseconds backwardNs = 0; // with what the option rebuilds

    friend bool operator==(const PlanOption &, const PlanOption &) = default;
};

struct PlanStage
{
    Bytes output = 0;
    Bytes forward = 0; // transient of a forward without graph, output included
    Nanoseconds forwardNs = 0;
    Bytes gradient = 0;              // parameter gradients that are held from its backward on
    Bytes remembered = 0;            // in the chain's base, though gone after its backward
    std::vector<PlanOption> options; // keep_all first; options that another one beats in everything are left out

    /// What the stage's backward needs: graph, gradients of its output and input, transient. Its input is held by others.
    [[nodiscard]] Bytes backwardNeed(const PlanOption &option) const
    {
        return output * (option.keepsOutput ? 2 : 1) + option.saved + option.backward;
    }
    friend bool operator==(const PlanStage &, const PlanStage &) = default;
};

/// The trainable part of a chain in the terms of the recursions (Beaumont et al., arXiv 1911.13214): stages 0 … n-1 and
/// the loss n; the boundary that enters stage 0 is held throughout. What cannot be planned is in `base`: budget - base is
/// what boundaries, graphs, transients and growing gradients may take. With several micro-batches all gradients exist
/// from the second on, so they are part of `base` and do not grow.
struct PlanChain
{
    int offset = 0; // index of its stage 0 in the schedule
    int frozen = 0; // stages before it that are only run forward
    Bytes base = 0;
    Bytes floor = 0; // least budget for what lies around the schedule: optimizer, frozen stages
    Bytes input = 0; // size of the boundary that enters stage 0
    std::vector<PlanStage> stages;
    Bytes loss = 0; // transient
    Nanoseconds lossNs = 0;
    Bytes lossGradient = 0;
    std::vector<Bytes> gradientsUpTo; // parameter gradients of the stages below i; n + 2 entries, the loss is stage n

    [[nodiscard]] int size() const { return static_cast<int>(stages.size()); }
    /// Size of the boundary that enters stage i (0 … n; n: what the loss reads), and of the gradient in flight after
    /// interval [.., t] (none after the loss).
    [[nodiscard]] Bytes boundary(int i) const
    {
        return i == 0 ? input : stages[static_cast<std::size_t>(i) - 1].output;
    }
    [[nodiscard]] Bytes gradientAfter(int t) const { return t == size() ? 0 : boundary(t + 1); }
    /// What of `base` some schedules do without: the boundary that enters stage 0, where frozen stages made it and an option
    /// does not pin it. Lower bounds must not count it.
    [[nodiscard]] Bytes unpinned() const;
    /// By how much at most the recursions count more than a schedule holds: what stages remember is counted throughout, and
    /// boundaries until their stage's backward, though not every graph pins its input.
    [[nodiscard]] Bytes countedLonger() const;
    /// Parameter gradients that appear in the backwards of stages [s, t]; t = n includes the loss.
    [[nodiscard]] Bytes gradients(int s, int t) const
    {
        return gradientsUpTo[static_cast<std::size_t>(t) + 1] - gradientsUpTo[static_cast<std::size_t>(s)];
    }
};

[[nodiscard]] PlanChain planChain(const ChainCosts &costs);

/// For every (s, length) the first s' whose stages are the same: intervals that share one row of a table, for nothing in a
/// row depends on the boundary that enters it. Element [s][t - s]; intervals that end with the loss are only ever equal to
/// themselves.
[[nodiscard]] std::vector<std::vector<int>> sharedIntervals(const PlanChain &chain);

} // namespace remat::core
