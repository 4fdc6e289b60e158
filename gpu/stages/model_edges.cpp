// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/model_edges.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/tanh.h>

#include "stages/activation.h"
#include "stages/chunked_loss.h"
#include "stages/dropouts.h"
#include "stages/linear_parts.h"

namespace remat::gpu {

using core::HeadKind;
using core::PositionKind;

namespace {

/// Sines and cosines of the positions (Vaswani et al., arXiv 1706.03762, section 3.5), sines in the first half.
at::Tensor sinusoids(std::int64_t seq, std::int64_t width)
{
    const auto wide = at::TensorOptions().dtype(at::kDouble);
    const at::Tensor exponents = at::arange(0, width / 2, wide) / static_cast<double>(width / 2);
    const at::Tensor angles = at::outer(at::arange(0, seq, wide), at::pow(10000.0, exponents).reciprocal());
    return at::cat({angles.sin(), angles.cos()}, -1);
}

} // namespace

Norm normOf(const core::ModelConfig &model, const ParameterStore &parameters, const std::string &name, bool present,
            std::int64_t size)
{
    Norm norm;
    norm.kind = model.norm;
    norm.size = present ? size : 0;
    norm.weight = parameters.find(name + ".weight");
    norm.bias = parameters.find(name + ".bias");
    norm.epsilon = model.normEpsilon;
    norm.unitOffset = model.normUnitOffset;
    return norm;
}

Projection projectionOf(const ParameterStore &parameters, const std::string &name)
{
    return {parameters.find(name + ".weight"), parameters.find(name + ".bias"), parameters.find(name + ".lora_a"),
            parameters.find(name + ".lora_b")};
}

EmbeddingStage::EmbeddingStage(const core::ModelConfig &model, const core::Workload &workload,
                               const ParameterStore &parameters, c10::Device device)
    : m_tokens(parameters.find("embedding.tokens.weight")),
      m_positionTable(parameters.find("embedding.positions.weight")),
      m_types(parameters.find("embedding.types.weight")),
      m_classToken(parameters.find("embedding.class_token")),
      m_patches(projectionOf(parameters, "embedding.patches")),
      m_norm(normOf(model, parameters, "embedding.norm", model.embeddingNorm, model.width)),
      m_type(computeType(workload.dtype)),
      m_scale(model.embeddingScale),
      m_dropout(embeddingDropout(model, workload)),
      m_patchSize(model.patchSize)
{
    const auto options = at::TensorOptions().device(device);
    if (m_positionTable.defined())
        m_positions = at::arange(model.positionOffset, model.positionOffset + workload.seq, options.dtype(at::kLong));
    if (model.position == PositionKind::sinusoidal)
        m_sinusoids = sinusoids(workload.seq, model.width).to(options.dtype(m_type));
}

at::Tensor EmbeddingStage::embedTokens(const at::Tensor &tokens) const
{
    at::Tensor x = at::embedding(m_tokens, tokens); // rows first, then the cast: never a copy of the whole table
    if (m_scale != 1.0)
        x = x * m_scale;
    return x;
}

at::Tensor EmbeddingStage::embedPatches(const at::Tensor &images) const
{
    const std::int64_t batch = images.size(0);
    const std::int64_t channels = images.size(1);
    const std::int64_t p = m_patchSize;
    const std::int64_t rows = images.size(2) / p;
    const std::int64_t columns = images.size(3) / p;
    at::Tensor patches = images.view({batch, channels, rows, p, columns, p})
                             .permute({0, 2, 4, 1, 3, 5})
                             .reshape({batch, rows * columns, channels * p * p});
    at::Tensor x = project(patches, m_patches);
    const at::Tensor first = matching(m_classToken, x).expand({batch, 1, x.size(-1)});
    return at::cat({first, x}, 1);
}

at::Tensor EmbeddingStage::run(const at::Tensor &input) const
{
    at::Tensor x = m_classToken.defined() ? embedPatches(input) : embedTokens(input);
    if (m_positionTable.defined())
        x.add_(at::embedding(m_positionTable, m_positions));
    if (m_types.defined()) // every token is of the first type
        x.add_(m_types.select(0, 0));
    if (x.scalar_type() != m_type)
        x = x.to(m_type);
    if (m_sinusoids.defined())
        x.add_(m_sinusoids);
    return dropout(normalise(x, m_norm), m_dropout);
}

HeadStage::HeadStage(const core::ModelConfig &model, const core::Workload &workload, const ParameterStore &parameters,
                     const at::Tensor &tick)
    : m_head(model.head),
      m_activation(model.head == HeadKind::sequence ? model.poolerActivation : model.activation),
      m_final(normOf(model, parameters, "final_norm", model.finalNorm, model.width)),
      m_transformNorm(normOf(model, parameters, "transform_norm", model.head == HeadKind::masked, model.width)),
      m_transform(projectionOf(parameters, model.head == HeadKind::sequence ? "pooler" : "transform")),
      m_output(projectionOf(parameters, "head")),
      m_tick(tick),
      m_softcap(model.finalSoftcap),
      m_scale(model.logitScale),
      m_dropout(residualDropout(model, workload)),
      m_chunks(workload.lossChunks)
{
    if (!m_output.weight.defined())
        m_output.weight = parameters.find("embedding.tokens.weight");
    if (model.headNormEpsilon > 0)
        m_transformNorm.epsilon = model.headNormEpsilon;
}

at::Tensor HeadStage::runFinal(const at::Tensor &input) const
{
    // A stage's output is never its input: a chain without any norm or transform at its end copies it.
    if (!m_final.exists() && !m_transform.weight.defined())
        return input.clone();
    at::Tensor x = normalise(input, m_final);
    if (m_head == HeadKind::masked)
        return normalise(activate(m_activation, project(x, m_transform)), m_transformNorm);
    if (m_head == HeadKind::sequence)
        return dropout(activate(m_activation, project(x.select(1, 0), m_transform)), m_dropout);
    return x;
}

at::Tensor HeadStage::logits(const at::Tensor &input) const
{
    at::Tensor logits = project(input, m_output);
    if (m_scale != 1.0)
        logits.mul_(m_scale);
    if (m_softcap > 0) {
        logits.div_(m_softcap);
        logits = at::tanh(logits);
        logits = logits * m_softcap;
    }
    return logits.scalar_type() == at::kFloat ? logits : logits.to(at::kFloat);
}

at::Tensor HeadStage::loss(const at::Tensor &input, const at::Tensor &targets) const
{
    if (m_head == HeadKind::image)
        return at::cross_entropy_loss(logits(input.select(1, 0)), targets);
    if (m_chunks > 0)
        return chunkedLoss(input, targets, [this](const at::Tensor &x) { return logits(x); },
                           {m_output.anyTrained(), m_tick, m_chunks});
    at::Tensor all = logits(input);
    at::Tensor loss = at::cross_entropy_loss(all.view({-1, all.size(-1)}), targets.view({-1}));
    all.reset();
    return loss;
}

} // namespace remat::gpu
