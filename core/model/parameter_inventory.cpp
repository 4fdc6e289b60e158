// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/parameter_inventory.h"

#include <utility>

namespace remat::core {

namespace {

using Shape = std::vector<std::int64_t>;

/// Collects the tensors of one stage after the other; names get the prefix of the part that is being described.
class Inventory
{
public:
    Inventory(const ModelConfig &model, const TrainRule &train)
        : m_model(model), m_train(train), m_shape(chainShape(model))
    {
    }

    std::vector<Parameter> take()
    {
        addEmbedding();
        for (int layer = 0; layer < m_model.layers; ++layer) {
            addAttention(layer);
            addFeedForward(layer);
        }
        addFinalStage();
        addHead();
        return std::move(m_parameters);
    }

private:
    void begin(int stage, std::string prefix)
    {
        m_stage = stage;
        m_prefix = std::move(prefix);
    }

    [[nodiscard]] bool isTrained() const
    {
        if (m_train.kind == TrainKind::all)
            return true;
        return m_train.kind == TrainKind::last && m_stage >= m_shape.firstStageOf(m_model.layers - m_train.n);
    }

    void add(const std::string &name, Shape shape, Initializer initializer)
    {
        m_parameters.push_back({m_prefix + name, std::move(shape), m_stage, initializer, isTrained()});
    }

    void addLinear(const std::string &name, const Shape &outIn, bool bias,
                   Initializer initializer = Initializer::normal)
    {
        add(name + ".weight", outIn, initializer);
        if (bias)
            add(name + ".bias", {outIn.front()}, Initializer::zeros);
    }

    /// A projection of a block: with adapters it gets a pair beside it, whose second half starts at zero.
    void addProjection(const std::string &name, const Shape &outIn, bool bias,
                       Initializer initializer = Initializer::normal)
    {
        addLinear(name, outIn, bias, initializer);
        if (m_train.kind != TrainKind::lora)
            return;
        const std::int64_t rank = m_train.n;
        m_parameters.push_back({m_prefix + name + ".lora_a", {rank, outIn[1]}, m_stage, Initializer::normal, true});
        m_parameters.push_back({m_prefix + name + ".lora_b", {outIn[0], rank}, m_stage, Initializer::zeros, true});
    }

    /// A norm whose factor is 1 + w starts with w = 0.
    void addNorm(const std::string &name, std::int64_t size, bool bias)
    {
        if (!m_model.normWeight)
            return;
        add(name + ".weight", {size}, m_model.normUnitOffset ? Initializer::zeros : Initializer::ones);
        if (bias)
            add(name + ".bias", {size}, Initializer::zeros);
    }

    void addEmbedding()
    {
        const ModelConfig &m = m_model;
        begin(0, "embedding.");
        if (m.head == HeadKind::image) {
            addLinear("patches", {m.width, m.channels * m.patchSize * m.patchSize}, true);
            add("class_token", {m.width}, Initializer::normal);
        } else {
            add("tokens.weight", {m.vocabulary, m.width}, Initializer::normal);
        }
        if (m.position == PositionKind::learned)
            add("positions.weight", {m.positions + m.positionOffset, m.width}, Initializer::normal);
        if (m.tokenTypes > 0)
            add("types.weight", {m.tokenTypes, m.width}, Initializer::normal);
        if (m.embeddingNorm)
            addNorm("norm", m.width, m.normBias);
    }

    /// The norms of a half, by where they stand: "norm" before, "post_norm" on the branch or after the sum.
    void addNorms()
    {
        const NormPlacement where = m_model.normPlacement;
        if (where == NormPlacement::pre || where == NormPlacement::sandwich)
            addNorm("norm", m_model.width, m_model.normBias);
        if (where != NormPlacement::pre)
            addNorm("post_norm", m_model.width, m_model.normBias);
    }

    void addAttention(int layer)
    {
        const ModelConfig &m = m_model;
        begin(m_shape.firstStageOf(layer), "layers." + std::to_string(layer) + ".attention.");
        addNorms();
        addProjection("qkv", {(m.heads + 2 * m.kvHeads) * m.headSize, m.width}, m.qkvBias);
        addQkNorms();
        addProjection("out", {m.width, m.heads * m.headSize}, m.attentionOutBias, Initializer::normalResidual);
    }

    void addQkNorms()
    {
        const ModelConfig &m = m_model;
        switch (m.qkNorm) {
        case QkNorm::none:
            return;
        case QkNorm::headRms:
        case QkNorm::headLayer:
            addNorm("q_norm", m.headSize, false);
            addNorm("k_norm", m.headSize, false);
            return;
        case QkNorm::wholeRms:
            addNorm("q_norm", m.heads * m.headSize, false);
            addNorm("k_norm", m.kvHeads * m.headSize, false);
            return;
        }
    }

    void addFeedForward(int layer)
    {
        const ModelConfig &m = m_model;
        const int stage = m_shape.firstStageOf(layer) + m_shape.stagesPerLayer - 1;
        begin(stage, "layers." + std::to_string(layer) + ".feed_forward.");
        if (!m.parallelResidual || m.parallelTwoNorms)
            addNorms();
        if (m.formOf(layer).experts)
            return addExperts();
        addDense("", m.ffnWidth);
    }

    void addDense(const std::string &prefix, std::int64_t width)
    {
        const ModelConfig &m = m_model;
        if (m.gatedFfn)
            addProjection(prefix + "gate_up", {2 * width, m.width}, m.ffnBias);
        else
            addProjection(prefix + "up", {width, m.width}, m.ffnBias);
        addProjection(prefix + "down", {m.width, width}, m.ffnBias, Initializer::normalResidual);
    }

    /// Weights of all experts in one tensor; adapters are not placed beside experts.
    void addExperts()
    {
        const ModelConfig &m = m_model;
        const Experts &e = m.experts;
        add("router.weight", {e.count, m.width}, Initializer::normal);
        add("experts.up.weight", {e.count, (m.gatedFfn ? 2 : 1) * e.width, m.width}, Initializer::normal);
        add("experts.down.weight", {e.count, m.width, e.width}, Initializer::normalResidual);
        if (e.sharedWidth > 0)
            addDense("shared.", e.sharedWidth);
        if (e.sharedGate)
            add("shared.gate.weight", {1, m.width}, Initializer::normal);
    }

    void addFinalStage()
    {
        const ModelConfig &m = m_model;
        begin(m_shape.finalStage(), "");
        if (m.finalNorm)
            addNorm("final_norm", m.width, m.normBias);
        if (m.head == HeadKind::masked) {
            addLinear("transform", {m.width, m.width}, true);
            addNorm("transform_norm", m.width, m.normBias);
        }
        if (m.head == HeadKind::sequence)
            addLinear("pooler", {m.width, m.width}, true);
    }

    void addHead()
    {
        const ModelConfig &m = m_model;
        begin(m_shape.stages(), "");
        if (m.head == HeadKind::sequence || m.head == HeadKind::image)
            addLinear("head", {m.classes, m.width}, m.headBias);
        else if (!m.tiedHead)
            addLinear("head", {m.vocabulary, m.width}, m.headBias);
        else if (m.headBias)
            add("head.bias", {m.vocabulary}, Initializer::zeros);
    }

    const ModelConfig &m_model;
    const TrainRule &m_train;
    ChainShape m_shape;
    std::vector<Parameter> m_parameters;
    int m_stage = 0;
    std::string m_prefix;
};

/// Elements of the experts that one token does not use.
std::int64_t idleExpertElements(const ModelConfig &model, const Parameter &parameter)
{
    if (parameter.name.find(".experts.") == std::string::npos)
        return 0;
    return parameter.elements() / model.experts.count * (model.experts.count - model.experts.perToken);
}

} // namespace

std::int64_t Parameter::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
        product *= size;
    return product;
}

std::vector<Parameter> parameterInventory(const ModelConfig &model, const TrainRule &train)
{
    return Inventory(model, train).take();
}

ParameterCount countParameters(const ModelConfig &model, const TrainRule &train)
{
    ParameterCount count;
    for (const Parameter &parameter : parameterInventory(model, train)) {
        count.total += parameter.elements();
        count.active += parameter.elements() - idleExpertElements(model, parameter);
        if (parameter.trainable)
            count.trainable += parameter.elements();
        if (parameter.stage == 0)
            count.embedding += parameter.elements();
    }
    count.nonEmbedding = count.total - count.embedding;
    return count;
}

} // namespace remat::core
