// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <random>

#include "schedule/chain_costs.h"

namespace remat::tests {

/// What a random chain may have beyond plain stages. Without `surroundings` it is one micro-batch of a chain that is
/// trained from its first stage on, as a chain file describes it.
struct ChainRecipe
{
    int stages = 4;
    int options = 1;
    core::Bytes mostSize = 6;
    core::Bytes mostTransient = 4;
    bool gradients = false;  // that grow in the backward
    bool phantoms = false;   // cheaper than a saving forward
    bool keepOutputs = true; // all graphs keep their output; else each by chance
    bool surroundings
        = false; // static bytes, optimizer, micro-batches, frozen stages, remembered bytes, unpinned inputs
};

/// Random costs that a real chain could have: a phantom is never dearer than the forward that it replaces. The same seed
/// gives the same chains everywhere.
class RandomChains
{
public:
    explicit RandomChains(unsigned seed) : m_engine(seed) { }

    /// A whole number from `low` to `high`.
    [[nodiscard]] core::Bytes pick(core::Bytes low, core::Bytes high);
    [[nodiscard]] bool chance(int percent) { return pick(0, 99) < percent; }
    [[nodiscard]] core::ChainCosts make(const ChainRecipe &recipe);
    /// Any number of stages and options up to the limits; outputs, gradients and phantoms by chance.
    [[nodiscard]] ChainRecipe anyRecipe(int mostStages);
    /// Makes stages of a chain equal to those one, two or three before them, from some stage on.
    void repeatStages(core::ChainCosts &costs);

private:
    [[nodiscard]] core::OptionCost option(const ChainRecipe &recipe, const core::StageCost &stage, core::Bytes input);
    void surround(core::ChainCosts &costs);

    std::mt19937 m_engine;
};

/// A chain in the notation of the literature: W counts the output, g, of and ob may be shorter than the chain (0), ob's last
/// entry is the loss's.
struct LiteratureChain
{
    std::vector<core::Bytes> w, W;
    std::vector<core::Nanoseconds> f, g;
    std::vector<core::Bytes> of, ob;
};
[[nodiscard]] core::ChainCosts literatureChain(const LiteratureChain &chain);

/// One line that reproduces a failure.
[[nodiscard]] std::string describe(const core::ChainCosts &costs);

} // namespace remat::tests
