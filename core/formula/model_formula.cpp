// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/model_formula.h"

#include <cmath>

#include "model/rotary.h"

namespace remat::core::formula {

Element computeElement(Dtype dtype)
{
    switch (dtype) {
    case Dtype::fp32:
        return Element::fp32;
    case Dtype::bf16:
    case Dtype::mixedBf16:
        return Element::bf16;
    case Dtype::fp16:
    case Dtype::mixedFp16:
        return Element::fp16;
    }
    return Element::fp32;
}

Element weightElement(Dtype dtype)
{
    return isMixed(dtype) ? Element::fp32 : computeElement(dtype);
}

SizeModel::SizeModel(const ModelConfig &model, const Workload &workload, Tape &tape)
    : m_model(model),
      m_workload(workload),
      m_tape(tape),
      m_shape(chainShape(model, workload)),
      m_weightType(weightElement(workload.dtype)),
      m_type(computeElement(workload.dtype))
{
    const ModeScope outside(tape.permanent, true);
    makeParameters();
    makeBatch();
    m_one = Tensor::make(tape, {}, Element::fp32);
    if (find("embedding.positions.weight").defined())
        m_positions = Tensor::make(tape, {workload.seq}, Element::int64);
    if (model.position == PositionKind::sinusoidal)
        m_sinusoids = Tensor::make(tape, {workload.seq, model.width}, m_type);
    for (int layer = 0; layer < model.layers; ++layer)
        m_blocks.push_back(blockOf(layer));
    m_final = normOf("final_norm", model.finalNorm, model.width);
    m_transformNorm = normOf("transform_norm", model.head == HeadKind::masked, model.width);
    m_transform = projectionOf(model.head == HeadKind::sequence ? "pooler" : "transform");
    m_output = projectionOf("head");
    if (!m_output.weight.defined())
        m_output.weight = find("embedding.tokens.weight");
}

SizeModel::~SizeModel()
{
    dropGradients();
}

void SizeModel::makeParameters()
{
    for (const Parameter &parameter : parameterInventory(m_model, m_workload.train)) {
        const Tensor tensor = Tensor::make(m_tape, parameter.shape, m_weightType);
        if (parameter.trainable) {
            tensor.data().leaf = std::make_shared<Leaf>();
            m_trained.push_back(tensor);
        }
        m_parameters[parameter.name] = tensor;
    }
}

void SizeModel::makeBatch()
{
    const std::int64_t batch = m_workload.batch;
    const bool perToken = m_model.head == HeadKind::causal || m_model.head == HeadKind::masked;
    const auto patches = std::llround(std::sqrt(static_cast<double>(m_workload.seq - 1)));
    const std::int64_t side = patches * m_model.patchSize;
    m_input = m_model.head == HeadKind::image ? Tensor::make(m_tape, {batch, m_model.channels, side, side}, m_type)
                                              : Tensor::make(m_tape, {batch, m_workload.seq}, Element::int64);
    m_targets = Tensor::make(m_tape, perToken ? Shape{batch, m_workload.seq} : Shape{batch}, Element::int64);
}

void SizeModel::dropGradients()
{
    for (const Tensor &tensor : m_trained)
        tensor.data().leaf->gradient.reset();
}

Tensor SizeModel::find(const std::string &name) const
{
    const auto it = m_parameters.find(name);
    return it == m_parameters.end() ? Tensor() : it->second;
}

NormPart SizeModel::normOf(const std::string &name, bool present, std::int64_t size) const
{
    return {m_model.norm, present ? size : 0, find(name + ".weight"), find(name + ".bias"), m_model.normUnitOffset};
}

ProjectionPart SizeModel::projectionOf(const std::string &name) const
{
    return {find(name + ".weight"), find(name + ".bias"), find(name + ".lora_a"), find(name + ".lora_b")};
}

double SizeModel::residualDropout() const
{
    return m_workload.dropout < 0 ? m_model.residualDropout : m_workload.dropout;
}

/// Constants of a form: see gpu/stages/transformer_model's settingsOf and attentionMask.
AttentionPart SizeModel::coreOf(const LayerForm &form) const
{
    AttentionPart part;
    part.explicitProducts = m_workload.attention == AttentionKernel::math;
    part.dropout = m_workload.attentionDropout;
    part.heads = m_model.heads;
    part.kvHeads = m_model.kvHeads;
    part.headSize = m_model.headSize;
    part.causal = m_model.isCausal();
    part.softcap = m_model.attentionSoftcap;
    part.clip = m_model.qkvClip;
    const std::int64_t seq = m_workload.seq;
    if (form.rotary && m_model.position == PositionKind::rotary) {
        const auto rotated = static_cast<std::int64_t>(rotaryFrequencies(m_model, form.windowed).size()) * 2;
        part.cosines = Tensor::make(m_tape, {seq, rotated}, m_type);
        part.sines = Tensor::make(m_tape, {seq, rotated}, m_type);
    }
    const bool alibi = m_model.position == PositionKind::alibi;
    const bool windowed = form.windowed && m_model.slidingWindow > 0 && m_model.slidingWindow < seq;
    if (windowed || alibi || (part.causal && part.explicitProducts))
        part.mask = Tensor::make(m_tape, alibi ? Shape{1, m_model.heads, seq, seq} : Shape{seq, seq}, m_type);
    return part;
}

BlockPart SizeModel::blockOf(int layer) const
{
    const ModelConfig &m = m_model;
    const std::string prefix = "layers." + std::to_string(layer) + ".attention.";
    const bool pre = m.normPlacement == NormPlacement::pre || m.normPlacement == NormPlacement::sandwich;
    BlockPart block;
    block.placement = m.normPlacement;
    block.attention.norm = normOf(prefix + "norm", pre, m.width);
    block.attention.postNorm = normOf(prefix + "post_norm", m.normPlacement != NormPlacement::pre, m.width);
    block.attention.qkv = projectionOf(prefix + "qkv");
    if (m.qkNorm != QkNorm::none) {
        const bool whole = m.qkNorm == QkNorm::wholeRms;
        HeadNorms &norms = block.attention.headNorms;
        norms.query = normOf(prefix + "q_norm", true, whole ? m.heads * m.headSize : m.headSize);
        norms.key = normOf(prefix + "k_norm", true, whole ? m.kvHeads * m.headSize : m.headSize);
        norms.query.kind = norms.key.kind = m.qkNorm == QkNorm::headLayer ? NormKind::layerNorm : NormKind::rmsNorm;
    }
    block.attention.out = {projectionOf(prefix + "out"), residualDropout()};
    block.attention.core = coreOf(m.formOf(layer));
    addFeed(block, layer);
    return block;
}

void SizeModel::addFeed(BlockPart &block, int layer) const
{
    const ModelConfig &m = m_model;
    const std::string prefix = "layers." + std::to_string(layer) + ".feed_forward.";
    const bool pre = m.normPlacement == NormPlacement::pre || m.normPlacement == NormPlacement::sandwich;
    const bool ownNorm = !m.parallelResidual || m.parallelTwoNorms;
    block.feed.norm = normOf(prefix + "norm", ownNorm && pre, m.width);
    block.feed.postNorm = normOf(prefix + "post_norm", m.normPlacement != NormPlacement::pre, m.width);
    block.feed.dense = {projectionOf(prefix + (m.gatedFfn ? "gate_up" : "up")),
                        m.activation,
                        m.gatedFfn,
                        {projectionOf(prefix + "down"), residualDropout()}};
    if (!m.formOf(layer).experts)
        return;
    ExpertsPart experts;
    experts.shape = m.experts;
    experts.router = find(prefix + "router.weight");
    experts.up = find(prefix + "experts.up.weight");
    experts.down = find(prefix + "experts.down.weight");
    experts.sharedUp = projectionOf(prefix + (m.gatedFfn ? "shared.gate_up" : "shared.up"));
    experts.sharedDown = projectionOf(prefix + "shared.down");
    experts.sharedGate = find(prefix + "shared.gate.weight");
    experts.activation = m.activation;
    experts.gated = m.gatedFfn;
    block.feed.experts = std::move(experts);
}

Tensor SizeModel::runStage(int stage, const Tensor &input, const std::string &option, bool noOutput)
{
    const int layer = m_shape.layerOf(stage);
    if (layer < 0)
        return stage == 0 ? embed() : runFinal(input);
    const BlockPart &block = m_blocks[static_cast<std::size_t>(layer)];
    const BlockOption how = blockOption(option).value_or(BlockOption());
    const StageKind kind = m_shape.kindOf(stage);
    if (kind == StageKind::attention)
        return block.attentionHalf(input, how.attention, noOutput);
    Tensor passing;
    const bool remembers = block.feed.experts.has_value() && stage >= m_shape.firstTrainable;
    Tensor &choice = remembers ? m_choices[stage] : passing;
    if (kind == StageKind::feedForward)
        return block.feedForwardHalf(input, how.feedForward, noOutput, choice);
    return block.parallel(input, how, noOutput, choice);
}

} // namespace remat::core::formula
