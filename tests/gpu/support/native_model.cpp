// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/native_model.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace remat::tests {

using core::Activation;
using core::ModelConfig;
using core::Workload;

namespace {

class NativeModel
{
public:
    NativeModel(const ModelConfig &model, const Workload &workload, const gpu::ParameterStore &parameters)
        : m_model(model), m_workload(workload), m_parameters(parameters)
    {
    }

    at::Tensor loss(const at::Tensor &tokens, const at::Tensor &targets)
    {
        at::Tensor x = at::embedding(get("embedding.tokens.weight"), tokens);
        if (m_model.embeddingScale != 1.0)
            x = x * m_model.embeddingScale;
        if (get("embedding.positions.weight").defined())
            x = x + at::embedding(get("embedding.positions.weight"), at::arange(tokens.size(1)));
        x = drop(x);
        for (int layer = 0; layer < m_model.layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer) + ".";
            x = x
                + drop(
                    linear(attention(norm(x, name + "attention.norm"), name + "attention."), name + "attention.out"));
            x = x
                + drop(linear(hidden(norm(x, name + "feed_forward.norm"), name + "feed_forward."),
                              name + "feed_forward.down"));
        }
        x = norm(x, "final_norm");
        const at::Tensor head = m_model.tiedHead ? get("embedding.tokens.weight") : get("head.weight");
        at::Tensor logits = at::linear(x, head);
        if (logits.scalar_type() != at::kFloat)
            logits = logits.to(at::kFloat);
        return at::cross_entropy_loss(logits.view({-1, logits.size(-1)}), targets.view({-1}));
    }

private:
    at::Tensor get(const std::string &name) { return m_parameters.find(name); }

    at::Tensor linear(const at::Tensor &x, const std::string &name)
    {
        const at::Tensor bias = get(name + ".bias");
        return at::linear(x, get(name + ".weight"), bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt);
    }
    at::Tensor drop(const at::Tensor &x)
    {
        return m_workload.dropout > 0 ? std::get<0>(at::native_dropout(x, m_workload.dropout, true)) : x;
    }
    at::Tensor norm(const at::Tensor &x, const std::string &name)
    {
        at::Tensor weight = get(name + ".weight");
        if (m_model.norm == core::NormKind::layerNorm)
            return at::layer_norm(x, {x.size(-1)}, weight, get(name + ".bias"), m_model.normEpsilon);
        if (m_model.normUnitOffset)
            weight = weight + 1.0;
        return at::rms_norm(x.view_as(x), {x.size(-1)}, weight, m_model.normEpsilon);
    }
    at::Tensor heads(const at::Tensor &qkv, std::int64_t first, std::int64_t count)
    {
        const std::int64_t d = m_model.headSize;
        return qkv.slice(-1, first * d, (first + count) * d)
            .reshape({qkv.size(0), qkv.size(1), count, d})
            .transpose(1, 2);
    }
    at::Tensor turned(const at::Tensor &x)
    {
        const auto rotated
            = static_cast<std::int64_t>(static_cast<double>(m_model.headSize) * m_model.rotaryFraction) / 2 * 2;
        const auto wide = at::TensorOptions().dtype(at::kDouble);
        const at::Tensor frequency
            = at::pow(m_model.ropeTheta, at::arange(0, rotated, 2, wide) / double(rotated)).reciprocal();
        const at::Tensor half = at::outer(at::arange(0, x.size(2), wide), frequency);
        const at::Tensor angle = at::cat({half, half}, -1);
        const at::Tensor cosines = angle.cos().to(x.dtype());
        const at::Tensor sines = angle.sin().to(x.dtype());
        const at::Tensor front = rotated == x.size(-1) ? x : x.slice(-1, 0, rotated);
        const at::Tensor crossed
            = at::cat({-front.slice(-1, rotated / 2, rotated), front.slice(-1, 0, rotated / 2)}, -1);
        const at::Tensor result = front * cosines + crossed * sines;
        return rotated == x.size(-1) ? result : at::cat({result, x.slice(-1, rotated, x.size(-1))}, -1);
    }
    at::Tensor attention(const at::Tensor &n, const std::string &name)
    {
        const at::Tensor qkv = linear(n, name + "qkv");
        at::Tensor q = heads(qkv, 0, m_model.heads);
        at::Tensor k = heads(qkv, m_model.heads, m_model.kvHeads);
        at::Tensor v = heads(qkv, m_model.heads + m_model.kvHeads, m_model.kvHeads);
        if (m_model.qkNorm == core::QkNorm::headRms) {
            q = at::rms_norm(q.view_as(q), {m_model.headSize}, get(name + "q_norm.weight"), m_model.normEpsilon);
            k = at::rms_norm(k.view_as(k), {m_model.headSize}, get(name + "k_norm.weight"), m_model.normEpsilon);
        }
        if (m_model.position == core::PositionKind::rotary) {
            q = turned(q);
            k = turned(k);
        }
        const std::int64_t s = q.size(2);
        const std::int64_t window = m_model.slidingWindow > 0 ? m_model.slidingWindow : s;
        const at::Tensor seen = at::ones({s, s}, at::kBool).tril().triu(1 - window);
        at::Tensor out;
        if (m_workload.attention == core::AttentionKernel::math) {
            k = k.repeat_interleave(m_model.heads / m_model.kvHeads, 1);
            v = v.repeat_interleave(m_model.heads / m_model.kvHeads, 1);
            at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) * (1.0 / std::sqrt(double(m_model.headSize)));
            scores = scores.masked_fill(at::logical_not(seen), -std::numeric_limits<double>::infinity());
            at::Tensor p = at::softmax(scores, -1);
            if (m_workload.attentionDropout > 0)
                p = std::get<0>(at::native_dropout(p, m_workload.attentionDropout, true));
            out = at::matmul(p, v);
        } else {
            const bool windowed = window < s;
            out = at::scaled_dot_product_attention(q, k, v, windowed ? std::optional<at::Tensor>(seen) : std::nullopt,
                                                   m_workload.attentionDropout, !windowed, std::nullopt,
                                                   m_model.heads != m_model.kvHeads);
        }
        return out.transpose(1, 2).reshape({n.size(0), s, -1});
    }
    at::Tensor activated(const at::Tensor &h)
    {
        switch (m_model.activation) {
        case Activation::silu:
            return at::silu(h);
        case Activation::relu:
            return at::relu(h);
        case Activation::geluTanh:
            return at::gelu(h, "tanh");
        default:
            break;
        }
        return at::gelu(h);
    }
    at::Tensor hidden(const at::Tensor &n, const std::string &name)
    {
        if (!m_model.gatedFfn)
            return activated(linear(n, name + "up"));
        const auto parts = linear(n, name + "gate_up").chunk(2, -1);
        return activated(parts[0]) * parts[1];
    }

    const ModelConfig &m_model;
    const Workload &m_workload;
    const gpu::ParameterStore &m_parameters;
};

} // namespace

double nativeForwardBackward(const ModelConfig &model, const Workload &workload, gpu::TorchWorkload &prepared)
{
    NativeModel native(model, workload, prepared.parameters());
    gpu::seedGenerator(at::kCPU, workload.seed + 1);
    prepared.batches().fill(0);
    double sum = 0;
    for (int i = 0; i < workload.microBatches; ++i) {
        at::Tensor loss = native.loss(prepared.batches().inputs(i), prepared.batches().targets(i));
        if (workload.microBatches > 1)
            loss = loss / double(workload.microBatches);
        torch::autograd::backward({loss}, {});
        sum += double(loss.item<float>());
    }
    return sum;
}

} // namespace remat::tests
