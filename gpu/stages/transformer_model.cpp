// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/transformer_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "model/rotary.h"
#include "stages/dropouts.h"

namespace remat::gpu {

using core::LayerForm;
using core::NormPlacement;
using core::PositionKind;
using core::QkNorm;

namespace {

bool startsWithNorm(NormPlacement placement)
{
    return placement == NormPlacement::pre || placement == NormPlacement::sandwich;
}

/// Two layers whose attention runs the same way share their constants.
LayerForm attentionForm(const core::ModelConfig &model, int layer)
{
    LayerForm form = model.formOf(layer);
    form.experts = false;
    form.rotary = form.rotary && model.position == PositionKind::rotary;
    return form;
}

QueryKeyNorms queryKeyNorms(const core::ModelConfig &model, const ParameterStore &parameters, const std::string &prefix)
{
    if (model.qkNorm == QkNorm::none)
        return {};
    const bool whole = model.qkNorm == QkNorm::wholeRms;
    QueryKeyNorms norms{
        normOf(model, parameters, prefix + "q_norm", true, whole ? model.heads * model.headSize : model.headSize),
        normOf(model, parameters, prefix + "k_norm", true, whole ? model.kvHeads * model.headSize : model.headSize)};
    norms.query.kind = norms.key.kind
        = model.qkNorm == QkNorm::headLayer ? core::NormKind::layerNorm : core::NormKind::rmsNorm;
    return norms;
}

} // namespace

TransformerModel::TransformerModel(const core::ModelConfig &model, const core::Workload &workload,
                                   const ParameterStore &parameters, c10::Device device)
    : m_model(model),
      m_workload(workload),
      m_shape(core::chainShape(model, workload)),
      m_device(device),
      m_permanent{at::zeros({1}, at::TensorOptions().device(device).dtype(at::kDouble)),
                  at::zeros({}, at::TensorOptions().device(device).dtype(at::kFloat))},
      m_one(at::ones({}, at::TensorOptions().device(device).dtype(at::kFloat))),
      m_losses(at::zeros({workload.microBatches}, at::TensorOptions().device(device).dtype(at::kFloat))),
      m_embedding(model, workload, parameters, device),
      m_head(model, workload, parameters, m_permanent.tick)
{
    allowKernels(workload.attention);
    std::vector<LayerForm> forms;
    for (int layer = 0; layer < model.layers; ++layer) {
        const LayerForm form = attentionForm(model, layer);
        std::size_t at = 0;
        while (at < forms.size() && !(forms[at] == form))
            ++at;
        if (at == forms.size()) {
            forms.push_back(form);
            m_forms.push_back(settingsOf(form));
        }
        m_formOfLayer.push_back(at);
    }
    for (int layer = 0; layer < model.layers; ++layer)
        m_blocks.push_back(blockOf(parameters, layer));
}

AttentionSettings TransformerModel::settingsOf(const LayerForm &form) const
{
    const auto options = at::TensorOptions().device(m_device).dtype(computeType(m_workload.dtype));
    AttentionSettings settings;
    settings.kernel = m_workload.attention;
    settings.dropout = m_workload.attentionDropout;
    settings.heads = m_model.heads;
    settings.kvHeads = m_model.kvHeads;
    settings.headSize = m_model.headSize;
    settings.causal = m_model.isCausal();
    settings.scale = m_model.attentionScale;
    settings.softcap = m_model.attentionSoftcap;
    settings.clip = m_model.qkvClip;
    if (form.rotary)
        settings.rotary = rotaryTable(m_workload.seq, core::rotaryFrequencies(m_model, form.windowed),
                                      core::rotaryAttentionFactor(m_model, form.windowed), options);
    const auto slopes
        = m_model.position == PositionKind::alibi ? core::alibiSlopes(m_model.heads) : std::vector<double>();
    settings.mask = attentionMask(m_workload.seq, form.windowed ? m_model.slidingWindow : 0, settings, slopes, options);
    return settings;
}

Block TransformerModel::blockOf(const ParameterStore &parameters, int layer) const
{
    const std::string prefix = "layers." + std::to_string(layer) + ".attention.";
    const bool pre = startsWithNorm(m_model.normPlacement);
    const bool post = m_model.normPlacement != NormPlacement::pre;
    Block::Attention attention;
    attention.norm = normOf(m_model, parameters, prefix + "norm", pre, m_model.width);
    attention.postNorm = normOf(m_model, parameters, prefix + "post_norm", post, m_model.width);
    attention.qkv = projectionOf(parameters, prefix + "qkv");
    attention.headNorms = queryKeyNorms(m_model, parameters, prefix);
    attention.out = {projectionOf(parameters, prefix + "out"), residualDropout(m_model, m_workload), m_permanent};
    attention.settings = &m_forms[m_formOfLayer[static_cast<std::size_t>(layer)]];
    return {m_model.normPlacement, std::move(attention), feedOf(parameters, layer)};
}

Block::Feed TransformerModel::feedOf(const ParameterStore &parameters, int layer) const
{
    const std::string prefix = "layers." + std::to_string(layer) + ".feed_forward.";
    const bool ownNorm = !m_model.parallelResidual || m_model.parallelTwoNorms;
    Block::Feed feed;
    feed.norm
        = normOf(m_model, parameters, prefix + "norm", ownNorm && startsWithNorm(m_model.normPlacement), m_model.width);
    feed.postNorm
        = normOf(m_model, parameters, prefix + "post_norm", m_model.normPlacement != NormPlacement::pre, m_model.width);
    feed.dense = {projectionOf(parameters, prefix + (m_model.gatedFfn ? "gate_up" : "up")),
                  m_model.activation,
                  m_model.gatedFfn,
                  {projectionOf(parameters, prefix + "down"), residualDropout(m_model, m_workload), m_permanent}};
    if (m_model.formOf(layer).experts)
        feed.experts = expertsOf(parameters, prefix);
    return feed;
}

ExpertWeights TransformerModel::expertsOf(const ParameterStore &parameters, const std::string &prefix) const
{
    ExpertWeights experts;
    experts.shape = m_model.experts;
    experts.router = parameters.find(prefix + "router.weight");
    experts.up = parameters.find(prefix + "experts.up.weight");
    experts.down = parameters.find(prefix + "experts.down.weight");
    experts.sharedUp = projectionOf(parameters, prefix + (m_model.gatedFfn ? "shared.gate_up" : "shared.up"));
    experts.sharedDown = projectionOf(parameters, prefix + "shared.down");
    experts.sharedGate = parameters.find(prefix + "shared.gate.weight");
    experts.activation = m_model.activation;
    experts.gated = m_model.gatedFfn;
    return experts;
}

void TransformerModel::setTargets(const at::Tensor &targets, int microBatch)
{
    m_targets = targets;
    m_microBatch = microBatch;
}

RouterChoice &TransformerModel::choiceOf(int stage)
{
    RouterChoice &choice = m_choices[stage];
    if (const auto given = m_replayed.find(stage); given != m_replayed.end() && !choice.defined())
        choice = given->second;
    return choice;
}

at::Tensor TransformerModel::runStage(int stage, const at::Tensor &input, const std::string &option, bool noOutput)
{
    const int layer = m_shape.layerOf(stage);
    if (layer < 0)
        return stage == 0 ? m_embedding.run(input) : m_head.runFinal(input);
    const Block &block = m_blocks[static_cast<std::size_t>(layer)];
    const BlockOption how = blockOption(option);
    const core::StageKind kind = m_shape.kindOf(stage);
    if (kind == core::StageKind::attention)
        return block.attentionHalf(input, how.attention, noOutput);
    // A frozen stage remembers nothing: the same input gives it the same choice again.
    RouterChoice passing;
    const bool remembers = block.hasExperts() && stage >= m_shape.firstTrainable;
    RouterChoice &choice = remembers ? choiceOf(stage) : passing;
    if (kind == core::StageKind::feedForward)
        return block.feedForwardHalf(input, how.feedForward, noOutput, choice);
    return block.parallel(input, how, noOutput, choice);
}

at::Tensor TransformerModel::runLoss(const at::Tensor &input)
{
    at::Tensor loss = m_head.loss(input, m_targets);
    return m_workload.microBatches > 1 ? loss / static_cast<double>(m_workload.microBatches) : loss;
}

void TransformerModel::keepLoss(const at::Tensor &loss)
{
    const at::NoGradGuard noGraph;
    m_losses.select(0, m_microBatch).copy_(loss.detach());
}

double TransformerModel::lastLoss() const
{
    const at::Tensor losses = m_losses.to(at::kCPU);
    double sum = 0;
    for (std::int64_t i = 0; i < losses.numel(); ++i)
        sum += static_cast<double>(losses.const_data_ptr<float>()[i]);
    return sum;
}

bool TransformerModel::drawsRandomNumbers(int stage) const
{
    const core::StageKind kind = m_shape.kindOf(stage);
    if (kind == core::StageKind::finalNorm)
        return m_head.drawsRandomNumbers();
    const bool attends = kind == core::StageKind::attention || kind == core::StageKind::block;
    if (kind == core::StageKind::embedding)
        return embeddingDropout(m_model, m_workload) > 0;
    return residualDropout(m_model, m_workload) > 0 || (attends && m_workload.attentionDropout > 0);
}

std::vector<at::Tensor> TransformerModel::constants() const
{
    std::vector<at::Tensor> all = {m_permanent.tick, m_permanent.cell, m_one, m_losses};
    for (const at::Tensor &constant : m_embedding.constants())
        all.push_back(constant);
    for (const AttentionSettings &form : m_forms)
        all.insert(all.end(), {form.mask, form.rotary.cosines, form.rotary.sines});
    return all;
}

core::Bytes TransformerModel::formConstantBytes() const
{
    core::Bytes bytes = 0;
    for (const AttentionSettings &form : m_forms)
        for (const at::Tensor *constant : {&form.mask, &form.rotary.cosines, &form.rotary.sines})
            if (constant->defined())
                bytes += static_cast<core::Bytes>(constant->nbytes());
    return bytes;
}

std::string TransformerModel::attentionKernel() const
{
    static const char *const names[] = {"explicit", "math", "flash", "memory-efficient", "cuDNN", "other"};
    const auto options = at::TensorOptions().device(m_device).dtype(computeType(m_workload.dtype));
    const at::Tensor q = at::empty({1, m_model.heads, m_workload.seq, m_model.headSize}, options);
    const at::Tensor k = at::empty({1, m_model.kvHeads, m_workload.seq, m_model.headSize}, options);
    const std::int64_t choice = kernelChoice(q, k, m_forms.front());
    return choice >= -1 && choice < 5 ? names[choice + 1] : "unknown";
}

} // namespace remat::gpu
