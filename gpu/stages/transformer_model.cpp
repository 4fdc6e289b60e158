// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/transformer_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/zeros.h>

#include <tuple>

#include "stages/linear_parts.h"

namespace remat::gpu {

using core::NormKind;
using core::PositionKind;

TransformerModel::TransformerModel(const core::ModelConfig &model, const core::Workload &workload,
                                   const ParameterStore &parameters, c10::Device device)
    : m_model(model), m_workload(workload), m_device(device)
{
    const auto options = at::TensorOptions().device(device).dtype(scalarType(workload.dtype));
    m_tick = at::zeros({}, options.dtype(at::kFloat));
    m_one = at::ones({}, options.dtype(at::kFloat));
    m_cell = at::zeros({1}, options.dtype(at::kDouble));
    m_losses = at::zeros({workload.microBatches}, options.dtype(at::kFloat));
    m_tokenTable = parameters.find("embedding.tokens.weight");
    m_positionTable = parameters.find("embedding.positions.weight");
    if (m_positionTable.defined())
        m_positions = at::arange(workload.seq, options.dtype(at::kLong));
    m_headWeight = model.tiedHead ? m_tokenTable : parameters.find("head.weight");
    m_headBias = parameters.find("head.bias");
    m_finalNorm = {parameters.find("final_norm.weight"), parameters.find("final_norm.bias")};
    m_attention = {workload.attention, workload.attentionDropout, model.heads, model.kvHeads,
                   attentionMask(workload.seq, model.slidingWindow, workload.attention, options)};
    if (model.position == PositionKind::rotary) {
        const auto rotated
            = static_cast<std::int64_t>(static_cast<double>(model.headSize) * model.rotaryFraction) / 2 * 2;
        m_rotary = rotaryTable(workload.seq, rotated, model.ropeTheta, options);
    }
    for (int layer = 0; layer < model.layers; ++layer)
        m_blocks.push_back(blockOf(parameters, layer));
}

TransformerModel::Block TransformerModel::blockOf(const ParameterStore &parameters, int layer) const
{
    const auto find
        = [&](const std::string &name) { return parameters.find("layers." + std::to_string(layer) + "." + name); };
    Block block;
    block.attentionNorm = {find("attention.norm.weight"), find("attention.norm.bias")};
    block.feedForwardNorm = {find("feed_forward.norm.weight"), find("feed_forward.norm.bias")};
    block.qkvWeight = find("attention.qkv.weight");
    block.qkvBias = find("attention.qkv.bias");
    block.queryNorm = find("attention.q_norm.weight");
    block.keyNorm = find("attention.k_norm.weight");
    block.attentionTail = {find("attention.out.weight"), find("attention.out.bias"), m_workload.dropout, m_cell};
    const char *first = m_model.gatedFfn ? "feed_forward.gate_up" : "feed_forward.up";
    block.feedForward
        = {find(std::string(first) + ".weight"),
           find(std::string(first) + ".bias"),
           m_model.activation,
           m_model.gatedFfn,
           {find("feed_forward.down.weight"), find("feed_forward.down.bias"), m_workload.dropout, m_cell}};
    return block;
}

void TransformerModel::setTargets(const at::Tensor &targets, int microBatch)
{
    m_targets = targets;
    m_microBatch = microBatch;
}

at::Tensor TransformerModel::normalise(const at::Tensor &x, const Norm &norm) const
{
    const std::int64_t width = x.size(-1);
    if (m_model.norm == NormKind::layerNorm)
        return at::layer_norm(x, {width}, norm.weight, optionalBias(norm.bias), m_model.normEpsilon);
    if (m_model.normUnitOffset)
        return at::rms_norm(x, {width}, norm.weight + 1.0, m_model.normEpsilon);
    return at::rms_norm(x, {width}, norm.weight, m_model.normEpsilon);
}

at::Tensor TransformerModel::embed(const at::Tensor &tokens) const
{
    at::Tensor x = at::embedding(m_tokenTable, tokens);
    if (m_model.embeddingScale != 1.0)
        x = x * m_model.embeddingScale;
    if (m_positionTable.defined())
        x.add_(at::embedding(m_positionTable, m_positions));
    if (m_workload.dropout <= 0)
        return x;
    if (m_device.is_cpu())
        return std::get<0>(at::native_dropout(x, m_workload.dropout, true));
    return x * dropoutMask(x, m_workload.dropout) * (1.0 / (1.0 - m_workload.dropout));
}

at::Tensor TransformerModel::attentionHalf(const Block &block, const at::Tensor &x, bool noOutput) const
{
    const std::int64_t batch = x.size(0);
    const std::int64_t seq = x.size(1);
    const std::int64_t size = m_model.headSize;
    at::Tensor n = normalise(x, block.attentionNorm);
    at::Tensor qkv = at::linear(n, block.qkvWeight, optionalBias(block.qkvBias));
    n.reset();
    // One split, not three views: its backward joins the three gradients once.
    auto parts = qkv.split_with_sizes({m_model.heads * size, m_model.kvHeads * size, m_model.kvHeads * size}, -1);
    const auto headed = [&](at::Tensor &part) { return std::move(part).view({batch, seq, -1, size}).transpose(1, 2); };
    at::Tensor q = headed(parts[0]);
    at::Tensor k = headed(parts[1]);
    at::Tensor v = headed(parts[2]);
    parts.clear();
    if (block.queryNorm.defined()) {
        q = at::rms_norm(q, {size}, block.queryNorm, m_model.normEpsilon);
        k = at::rms_norm(k, {size}, block.keyNorm, m_model.normEpsilon);
    }
    if (m_rotary.cosines.defined()) {
        q = rotate(q, m_rotary);
        k = rotate(k, m_rotary);
        // Turned queries and keys are tensors of their own; a copy of the values lets the fused product go.
        v = v.clone();
    }
    qkv.reset();
    at::Tensor a = attend(std::move(q), std::move(k), std::move(v), m_attention);
    return residualTail(x, std::move(a), block.attentionTail, noOutput);
}

at::Tensor TransformerModel::feedForwardHalf(const Block &block, const at::Tensor &x, const std::string &option,
                                             bool noOutput) const
{
    at::Tensor n = normalise(x, block.feedForwardNorm);
    if (option == kLeanMlp && at::GradMode::is_enabled())
        return leanFeedForward(x, n, block.feedForward, noOutput);
    return feedForward(x, std::move(n), block.feedForward, noOutput);
}

at::Tensor TransformerModel::runStage(int stage, const at::Tensor &input, const std::string &option, bool noOutput)
{
    if (stage == 0)
        return embed(input);
    const auto layer = static_cast<std::size_t>((stage - 1) / 2);
    if (layer >= m_blocks.size())
        return normalise(input, m_finalNorm);
    const Block &block = m_blocks[layer];
    return stage % 2 == 1 ? attentionHalf(block, input, noOutput) : feedForwardHalf(block, input, option, noOutput);
}

at::Tensor TransformerModel::runLoss(const at::Tensor &input)
{
    at::Tensor logits = at::linear(input, m_headWeight, optionalBias(m_headBias));
    if (logits.scalar_type() != at::kFloat)
        logits = logits.to(at::kFloat);
    at::Tensor loss = at::cross_entropy_loss(logits.view({-1, logits.size(-1)}), m_targets.view({-1}));
    logits.reset();
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
    const bool attention = stage % 2 == 1 && stage <= 2 * m_model.layers;
    const bool finalNorm = stage == 2 * m_model.layers + 1;
    return !finalNorm && (m_workload.dropout > 0 || (attention && m_workload.attentionDropout > 0));
}

std::vector<at::Tensor> TransformerModel::constants() const
{
    return {m_positions, m_attention.mask, m_rotary.cosines, m_rotary.sines, m_tick, m_one, m_cell, m_losses};
}

std::string TransformerModel::attentionKernel() const
{
    const auto options = at::TensorOptions().device(m_device).dtype(scalarType(m_workload.dtype));
    const at::Tensor q = at::empty({1, m_model.heads, m_workload.seq, m_model.headSize}, options);
    const at::Tensor k = at::empty({1, m_model.kvHeads, m_workload.seq, m_model.headSize}, options);
    return kernelName(q, k, m_attention);
}

} // namespace remat::gpu
