// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/parameter_inventory.h"

#include <utility>

#include "model/stage.h"

namespace remat::core {

namespace {

using Shape = std::vector<std::int64_t>;

/// Collects the tensors of one stage after the other; names get the prefix of the part that is being described.
class Inventory
{
public:
    explicit Inventory(const ModelConfig &model) : m_model(model) { }

    void begin(int stage, std::string prefix)
    {
        m_stage = stage;
        m_prefix = std::move(prefix);
    }

    void add(const std::string &name, Shape shape, Initializer initializer)
    {
        m_parameters.push_back({m_prefix + name, std::move(shape), m_stage, initializer});
    }

    void addLinear(const std::string &name, Shape outIn, bool bias, Initializer initializer = Initializer::normal)
    {
        const std::int64_t out = outIn.front();
        add(name + ".weight", std::move(outIn), initializer);
        if (bias)
            add(name + ".bias", {out}, Initializer::zeros);
    }

    /// A norm whose factor is 1 + w starts with w = 0.
    void addNorm(const std::string &name, std::int64_t size, bool bias)
    {
        add(name + ".weight", {size}, m_model.normUnitOffset ? Initializer::zeros : Initializer::ones);
        if (bias)
            add(name + ".bias", {size}, Initializer::zeros);
    }

    void addAttention(int layer)
    {
        const ModelConfig &m = m_model;
        begin(firstStageOfLayer(layer), "layers." + std::to_string(layer) + ".attention.");
        addNorm("norm", m.width, m.normBias);
        addLinear("qkv", {(m.heads + 2 * m.kvHeads) * m.headSize, m.width}, m.qkvBias);
        if (m.qkNorm) {
            addNorm("q_norm", m.headSize, false);
            addNorm("k_norm", m.headSize, false);
        }
        addLinear("out", {m.width, m.heads * m.headSize}, m.attentionOutBias, Initializer::normalResidual);
    }

    void addFeedForward(int layer)
    {
        const ModelConfig &m = m_model;
        begin(firstStageOfLayer(layer) + 1, "layers." + std::to_string(layer) + ".feed_forward.");
        addNorm("norm", m.width, m.normBias);
        if (m.gatedFfn)
            addLinear("gate_up", {2 * m.ffnWidth, m.width}, m.ffnBias);
        else
            addLinear("up", {m.ffnWidth, m.width}, m.ffnBias);
        addLinear("down", {m.width, m.ffnWidth}, m.ffnBias, Initializer::normalResidual);
    }

    std::vector<Parameter> take() { return std::move(m_parameters); }

private:
    const ModelConfig &m_model;
    std::vector<Parameter> m_parameters;
    int m_stage = 0;
    std::string m_prefix;
};

} // namespace

std::int64_t Parameter::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
        product *= size;
    return product;
}

std::vector<Parameter> parameterInventory(const ModelConfig &model)
{
    Inventory inventory(model);
    inventory.begin(0, "embedding.");
    inventory.add("tokens.weight", {model.vocabulary, model.width}, Initializer::normal);
    if (model.position == PositionKind::learned)
        inventory.add("positions.weight", {model.positions, model.width}, Initializer::normal);
    for (int layer = 0; layer < model.layers; ++layer) {
        inventory.addAttention(layer);
        inventory.addFeedForward(layer);
    }
    const int finalNorm = firstStageOfLayer(model.layers);
    inventory.begin(finalNorm, "");
    inventory.addNorm("final_norm", model.width, model.normBias);
    inventory.begin(finalNorm + 1, "");
    if (!model.tiedHead)
        inventory.addLinear("head", {model.vocabulary, model.width}, model.headBias);
    else if (model.headBias)
        inventory.add("head.bias", {model.vocabulary}, Initializer::zeros);
    return inventory.take();
}

ParameterCount countParameters(const ModelConfig &model)
{
    ParameterCount count;
    for (const Parameter &parameter : parameterInventory(model)) {
        count.total += parameter.elements();
        if (parameter.stage == 0)
            count.embedding += parameter.elements();
    }
    count.nonEmbedding = count.total - count.embedding;
    count.active = count.total;
    return count;
}

} // namespace remat::core
