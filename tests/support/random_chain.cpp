// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/random_chain.h"

#include <algorithm>

namespace remat::tests {

using namespace core;

Bytes RandomChains::pick(Bytes low, Bytes high)
{
    return low + static_cast<Bytes>(m_engine() % static_cast<std::uint32_t>(high - low + 1));
}

OptionCost RandomChains::option(const ChainRecipe &recipe, const StageCost &stage, Bytes input)
{
    OptionCost cost;
    cost.saved = pick(0, recipe.mostSize + 2);
    cost.keepsOutput = recipe.keepOutputs || chance(50);
    const Bytes save = cost.saved + stage.output + pick(0, recipe.mostTransient);
    cost.forwardSave = {save, save};
    cost.forwardSavePhantom = cost.forwardSave;
    cost.forwardSaveNs = cost.phantomNs = stage.forwardNs + pick(0, 1);
    if (recipe.phantoms) {
        const Bytes made = cost.saved + (cost.keepsOutput ? stage.output : 0);
        cost.forwardSavePhantom.total = cost.forwardSavePhantom.activation = pick(made, save);
        cost.phantomNs = pick(cost.forwardSaveNs - stage.forwardNs, cost.forwardSaveNs);
    }
    const Bytes backward = input + pick(0, recipe.mostTransient);
    cost.backwardFirst = {backward + stage.gradientGrowth, backward};
    cost.backwardLater = {backward + pick(0, recipe.mostTransient), backward};
    cost.backwardNs = pick(0, 6);
    return cost;
}

ChainRecipe RandomChains::anyRecipe(int mostStages)
{
    ChainRecipe recipe;
    recipe.stages = static_cast<int>(pick(1, mostStages));
    recipe.options = static_cast<int>(pick(1, 3));
    recipe.keepOutputs = chance(30);
    recipe.gradients = chance(60);
    recipe.phantoms = chance(70);
    return recipe;
}

ChainCosts RandomChains::make(const ChainRecipe &recipe)
{
    ChainCosts costs;
    costs.source = CostSource::chainFile;
    costs.input = pick(0, recipe.mostSize);
    Bytes input = costs.input;
    for (int i = 0; i < recipe.stages; ++i) {
        StageCost stage;
        stage.output = pick(1, recipe.mostSize);
        stage.forwardNs = pick(1, 4);
        const Bytes forward = stage.output + pick(0, recipe.mostTransient);
        stage.forward = {forward, forward};
        stage.gradientGrowth = recipe.gradients ? pick(0, 4) : 0;
        for (int k = 0; k < recipe.options; ++k) {
            OptionCost cost = option(recipe, stage, input);
            cost.rebuildNs = k == 0 ? 0 : pick(0, 2);
            stage.options[k == 0 ? std::string() : std::to_string(k)] = cost;
        }
        input = stage.output;
        costs.stages.push_back(std::move(stage));
    }
    const Bytes loss = input + pick(0, recipe.mostTransient);
    costs.loss.gradientGrowth = recipe.gradients ? pick(0, 4) : 0;
    costs.loss.first = {loss + costs.loss.gradientGrowth, loss};
    costs.loss.later = {loss, loss};
    costs.loss.ns = pick(0, 2);
    if (recipe.surroundings)
        surround(costs);
    return costs;
}

void RandomChains::repeatStages(ChainCosts &costs)
{
    const auto period = static_cast<std::size_t>(pick(1, 3));
    for (auto i = period + static_cast<std::size_t>(pick(0, 2)); i < costs.stages.size(); ++i)
        costs.stages[i] = costs.stages[i - period];
    // The loss reads another boundary now.
    const Bytes loss = costs.stages.back().output + 2;
    costs.loss.first = {loss + costs.loss.gradientGrowth, loss};
    costs.loss.later = {loss, loss};
}

void RandomChains::surround(ChainCosts &costs)
{
    costs.staticBytes = pick(0, 50);
    const Bytes optimizer = pick(0, 20);
    costs.optimizer = {optimizer, 0};
    costs.optimizerNs = pick(0, 5);
    costs.otherNs = pick(0, 5);
    costs.microBatches = static_cast<int>(pick(1, 3));
    costs.gradientsKept = chance(30);
    if (chance(40))
        costs.firstTrainable = static_cast<int>(pick(0, static_cast<Bytes>(costs.stages.size()) - 1));
    for (std::size_t i = 0; i < costs.stages.size(); ++i) {
        costs.stages[i].remembered = chance(30) ? pick(0, 5) : 0;
        for (auto &[id, option] : costs.stages[i].options)
            option.keepsInput = i == 0 || chance(75);
    }
}

ChainCosts literatureChain(const LiteratureChain &chain)
{
    const auto entry = [](const auto &list, std::size_t i) { return i < list.size() ? list[i] : 0; };
    ChainCosts costs;
    costs.source = CostSource::chainFile;
    costs.input = chain.w.front();
    for (std::size_t i = 0; i < chain.W.size(); ++i) {
        OptionCost option;
        option.saved = chain.W[i] - chain.w[i + 1];
        option.keepsOutput = true;
        const Bytes save = chain.W[i] + entry(chain.of, i);
        option.forwardSave = option.forwardSavePhantom = {save, save};
        const Bytes backward = chain.w[i] + entry(chain.ob, i);
        option.backwardFirst = option.backwardLater = {backward, backward};
        option.forwardSaveNs = option.phantomNs = chain.f[i];
        option.backwardNs = entry(chain.g, i);
        StageCost stage;
        stage.output = chain.w[i + 1];
        stage.forward = {chain.w[i + 1] + entry(chain.of, i), chain.w[i + 1] + entry(chain.of, i)};
        stage.forwardNs = chain.f[i];
        stage.options[""] = option;
        costs.stages.push_back(std::move(stage));
    }
    const Bytes loss = chain.w.back() + entry(chain.ob, chain.W.size());
    costs.loss.first = costs.loss.later = {loss, loss};
    return costs;
}

std::string describe(const ChainCosts &costs)
{
    return toJson(costs).dump();
}

} // namespace remat::tests
