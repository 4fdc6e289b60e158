// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/reference_model.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "model/rotary.h"

namespace remat::tests {

using core::Activation;
using core::HeadKind;
using core::LayerForm;
using core::ModelConfig;
using core::NormKind;
using core::NormPlacement;
using core::PositionKind;
using core::QkNorm;

namespace {

at::TensorOptions wide()
{
    return at::TensorOptions().dtype(at::kDouble);
}

/// Slopes as Hugging Face's build_alibi_tensor of Bloom computes them.
std::vector<double> bloomSlopes(std::int64_t heads)
{
    const double closest = std::exp2(std::floor(std::log2(double(heads))));
    const double base = std::exp2(-std::exp2(-(std::log2(closest) - 3)));
    const double extra = std::exp2(-std::exp2(-(std::log2(2 * closest) - 3)));
    std::vector<double> slopes;
    for (std::int64_t head = 0; head < heads; ++head)
        slopes.push_back(double(head) < closest ? std::pow(base, head + 1)
                                                : std::pow(extra, 1 + 2 * (double(head) - closest)));
    return slopes;
}

class ReferenceModel
{
public:
    ReferenceModel(const ModelConfig &model, const gpu::ParameterStore &parameters,
                   const std::map<int, at::Tensor> &choices)
        : m_model(model), m_choices(choices)
    {
        for (std::size_t i = 0; i < parameters.tensors().size(); ++i)
            m_leaves[parameters.inventory()[i].name]
                = parameters.tensors()[i].detach().to(at::kDouble).clone().requires_grad_(true);
    }

    at::Tensor loss(const at::Tensor &input, const at::Tensor &targets)
    {
        at::Tensor x = embedded(input);
        for (int layer = 0; layer < m_model.layers; ++layer)
            x = block(x, layer);
        const at::Tensor logits = scores(headInput(x));
        const at::Tensor rows = logits.reshape({-1, logits.size(-1)});
        const at::Tensor wanted = targets.reshape({-1});
        at::Tensor sum = at::zeros({}, wide());
        std::int64_t counted = 0;
        for (std::int64_t i = 0; i < wanted.size(0); ++i) {
            const auto target = wanted[i].item<std::int64_t>();
            if (target == -100) // covered tokens alone are learnt
                continue;
            sum = sum + at::logsumexp(rows[i], 0) - rows[i][target];
            ++counted;
        }
        return sum / double(counted);
    }

    [[nodiscard]] const std::map<std::string, at::Tensor> &leaves() const { return m_leaves; }
    [[nodiscard]] const std::map<int, at::Tensor> &choices() const { return m_choices; }

private:
    at::Tensor get(const std::string &name) { return m_leaves.contains(name) ? m_leaves[name] : at::Tensor(); }

    at::Tensor linear(const at::Tensor &x, const std::string &name)
    {
        at::Tensor y = at::matmul(x, get(name + ".weight").t());
        if (const at::Tensor bias = get(name + ".bias"); bias.defined())
            y = y + bias;
        return y;
    }

    at::Tensor normed(const at::Tensor &x, const std::string &name, NormKind kind, double epsilon)
    {
        at::Tensor y;
        if (kind == NormKind::layerNorm) {
            const at::Tensor centred = x - x.mean(-1, true);
            y = centred / at::sqrt((centred * centred).mean(-1, true) + epsilon);
        } else {
            y = x / at::sqrt((x * x).mean(-1, true) + epsilon);
        }
        if (const at::Tensor weight = get(name + ".weight"); weight.defined())
            y = y * (m_model.normUnitOffset && kind == NormKind::rmsNorm ? weight + 1.0 : weight);
        if (const at::Tensor bias = get(name + ".bias"); bias.defined())
            y = y + bias;
        return y;
    }
    at::Tensor norm(const at::Tensor &x, const std::string &name)
    {
        return normed(x, name, m_model.norm, m_model.normEpsilon);
    }

    at::Tensor activated(const at::Tensor &x, Activation kind)
    {
        switch (kind) {
        case Activation::gelu:
            return 0.5 * x * (1.0 + at::erf(x / std::sqrt(2.0)));
        case Activation::geluTanh:
            return 0.5 * x * (1.0 + at::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        case Activation::silu:
            return x / (1.0 + at::exp(-x));
        case Activation::relu:
            return at::where(x > 0, x, at::zeros_like(x));
        case Activation::reluSquared:
            return at::where(x > 0, x * x, at::zeros_like(x));
        case Activation::tanh:
            return 1.0 - 2.0 / (at::exp(2.0 * x) + 1.0);
        }
        return {};
    }

    at::Tensor embedded(const at::Tensor &input)
    {
        const bool image = m_model.head == HeadKind::image;
        at::Tensor x = image ? patches(input) : get("embedding.tokens.weight").index({input}) * m_model.embeddingScale;
        const std::int64_t seq = x.size(1);
        if (m_model.position == PositionKind::learned)
            x = x
                + get("embedding.positions.weight")
                      .slice(0, m_model.positionOffset, m_model.positionOffset + seq)
                      .unsqueeze(0);
        if (m_model.position == PositionKind::sinusoidal)
            x = x + sinusoids(seq);
        if (m_model.tokenTypes > 0)
            x = x + get("embedding.types.weight")[0];
        return m_model.embeddingNorm ? norm(x, "embedding.norm") : x;
    }

    /// Patches as the convolution that ViT has for them, and the class token before them.
    at::Tensor patches(const at::Tensor &images)
    {
        const std::int64_t p = m_model.patchSize;
        const at::Tensor kernel = get("embedding.patches.weight").view({m_model.width, m_model.channels, p, p});
        const at::Tensor x = at::conv2d(images.to(at::kDouble), kernel, get("embedding.patches.bias"), {p, p});
        const at::Tensor tokens = x.flatten(2).transpose(1, 2);
        return at::cat({get("embedding.class_token").expand({x.size(0), 1, -1}), tokens}, 1);
    }

    at::Tensor sinusoids(std::int64_t seq) const
    {
        const std::int64_t half = m_model.width / 2;
        at::Tensor table = at::zeros({seq, m_model.width}, wide());
        for (std::int64_t position = 0; position < seq; ++position)
            for (std::int64_t i = 0; i < half; ++i) {
                const double angle = double(position) / std::pow(10000.0, 2.0 * double(i) / double(m_model.width));
                table[position][i] = std::sin(angle);
                table[position][half + i] = std::cos(angle);
            }
        return table;
    }

    at::Tensor block(const at::Tensor &x, int layer)
    {
        const std::string attention = "layers." + std::to_string(layer) + ".attention.";
        const std::string feed = "layers." + std::to_string(layer) + ".feed_forward.";
        if (m_model.parallelResidual) {
            const at::Tensor n = norm(x, attention + "norm");
            const at::Tensor m = m_model.parallelTwoNorms ? norm(x, feed + "norm") : n;
            return x + attended(n, attention, layer) + fed(m, feed, layer);
        }
        const at::Tensor y = half(x, attention, [&](const at::Tensor &n) { return attended(n, attention, layer); });
        return half(y, feed, [&](const at::Tensor &n) { return fed(n, feed, layer); });
    }

    at::Tensor half(const at::Tensor &x, const std::string &name, const std::function<at::Tensor(at::Tensor)> &branch)
    {
        switch (m_model.normPlacement) {
        case NormPlacement::pre:
            return x + branch(norm(x, name + "norm"));
        case NormPlacement::post:
            return norm(x + branch(x), name + "post_norm");
        case NormPlacement::sandwich:
            return x + norm(branch(norm(x, name + "norm")), name + "post_norm");
        case NormPlacement::branch:
            return x + norm(branch(x), name + "post_norm");
        }
        return {};
    }

    /// Pairs (i, i + rotated / 2) of a head as complex numbers, turned by position times frequency (RoFormer, section 3.2).
    at::Tensor turned(const at::Tensor &x, bool windowed)
    {
        const std::vector<double> frequencies = core::rotaryFrequencies(m_model, windowed);
        const auto pairs = static_cast<std::int64_t>(frequencies.size());
        const at::Tensor angles = at::outer(at::arange(x.size(1), wide()), at::tensor(frequencies, wide()));
        const at::Tensor turn
            = at::polar(at::full_like(angles, core::rotaryAttentionFactor(m_model, windowed)), angles);
        const at::Tensor z
            = at::complex(x.slice(-1, 0, pairs).contiguous(), x.slice(-1, pairs, 2 * pairs).contiguous());
        const at::Tensor y = z * turn;
        return at::cat({at::real(y), at::imag(y), x.slice(-1, 2 * pairs, x.size(-1))}, -1);
    }

    /// One head of queries or keys [batch, seq, head size].
    at::Tensor head(const at::Tensor &all, std::int64_t index, const std::string &normName, const LayerForm &form)
    {
        at::Tensor x = all.slice(-1, index * m_model.headSize, (index + 1) * m_model.headSize);
        if (m_model.qkNorm == QkNorm::headRms)
            x = normed(x, normName, NormKind::rmsNorm, m_model.normEpsilon);
        if (m_model.qkNorm == QkNorm::headLayer)
            x = normed(x, normName, NormKind::layerNorm, m_model.normEpsilon);
        return m_model.position == PositionKind::rotary && form.rotary ? turned(x, form.windowed) : x;
    }

    /// What is added to the scores of a head: -inf where a query does not see a key, and the linear bias.
    at::Tensor bias(std::int64_t seq, std::int64_t index, const LayerForm &form) const
    {
        at::Tensor bias = at::zeros({seq, seq}, wide());
        for (std::int64_t i = 0; i < seq; ++i)
            for (std::int64_t j = 0; j < seq; ++j) {
                const std::int64_t distance = m_model.isCausal() ? i - j : std::abs(i - j);
                if (distance < 0 || (form.windowed && distance >= m_model.slidingWindow))
                    bias[i][j] = -std::numeric_limits<double>::infinity();
                else if (m_model.position == PositionKind::alibi) // softmax takes no notice of what a row shares
                    bias[i][j] = bloomSlopes(m_model.heads)[static_cast<std::size_t>(index)]
                        * (m_model.isCausal() ? double(j) : -double(distance));
            }
        return bias;
    }

    at::Tensor attended(const at::Tensor &n, const std::string &name, int layer)
    {
        const LayerForm form = m_model.formOf(layer);
        at::Tensor qkv = linear(n, name + "qkv");
        if (m_model.qkvClip > 0)
            qkv = at::minimum(at::maximum(qkv, at::full({}, -m_model.qkvClip, wide())),
                              at::full({}, m_model.qkvClip, wide()));
        const std::int64_t queries = m_model.heads * m_model.headSize;
        const std::int64_t keys = m_model.kvHeads * m_model.headSize;
        at::Tensor q = qkv.slice(-1, 0, queries);
        at::Tensor k = qkv.slice(-1, queries, queries + keys);
        const at::Tensor v = qkv.slice(-1, queries + keys, queries + 2 * keys);
        if (m_model.qkNorm == QkNorm::wholeRms) {
            q = normed(q, name + "q_norm", NormKind::rmsNorm, m_model.normEpsilon);
            k = normed(k, name + "k_norm", NormKind::rmsNorm, m_model.normEpsilon);
        }
        const double scale
            = m_model.attentionScale > 0 ? m_model.attentionScale : std::pow(double(m_model.headSize), -0.5);
        std::vector<at::Tensor> outputs;
        for (std::int64_t i = 0; i < m_model.heads; ++i) {
            const std::int64_t group = i / (m_model.heads / m_model.kvHeads);
            at::Tensor scores
                = at::matmul(head(q, i, name + "q_norm", form), head(k, group, name + "k_norm", form).transpose(1, 2))
                * scale;
            if (m_model.attentionSoftcap > 0)
                scores = m_model.attentionSoftcap * at::tanh(scores / m_model.attentionSoftcap);
            scores = scores + bias(n.size(1), i, form);
            const at::Tensor weights = at::exp(scores - scores.amax(-1, true).detach());
            const at::Tensor values = v.slice(-1, group * m_model.headSize, (group + 1) * m_model.headSize);
            outputs.push_back(at::matmul(weights / weights.sum(-1, true), values));
        }
        return linear(at::cat(outputs, -1), name + "out");
    }

    /// h is the product of "up", or of "gate_up" with the gate first.
    at::Tensor hidden(const at::Tensor &h)
    {
        if (!m_model.gatedFfn)
            return activated(h, m_model.activation);
        const std::int64_t width = h.size(-1) / 2;
        return activated(h.slice(-1, 0, width), m_model.activation) * h.slice(-1, width, 2 * width);
    }
    at::Tensor dense(const at::Tensor &n, const std::string &name)
    {
        return linear(hidden(linear(n, name + (m_model.gatedFfn ? "gate_up" : "up"))), name + "down");
    }
    at::Tensor fed(const at::Tensor &n, const std::string &name, int layer)
    {
        return m_model.formOf(layer).experts ? mixed(n, name, core::chainShape(m_model).firstStageOf(layer + 1) - 1)
                                             : dense(n, name);
    }

    /// Token by token through its experts.
    at::Tensor mixed(const at::Tensor &n, const std::string &name, int stage)
    {
        const core::Experts &e = m_model.experts;
        const at::Tensor rows = n.reshape({-1, m_model.width});
        const at::Tensor probabilities = at::softmax(at::matmul(rows, get(name + "router.weight").t()), -1);
        if (!m_choices.contains(stage))
            m_choices[stage] = at::argsort(probabilities.detach(), /*stable=*/true, -1, true).slice(-1, 0, e.perToken);
        const at::Tensor up = get(name + "experts.up.weight");
        const at::Tensor down = get(name + "experts.down.weight");
        std::vector<at::Tensor> outputs;
        for (std::int64_t token = 0; token < rows.size(0); ++token) {
            at::Tensor sum = at::zeros({m_model.width}, wide());
            at::Tensor total = at::zeros({}, wide());
            for (std::int64_t i = 0; i < e.perToken; ++i) {
                const auto expert = m_choices[stage][token][i].item<std::int64_t>();
                const at::Tensor h = hidden(at::mv(up[expert], rows[token]));
                sum = sum + probabilities[token][expert] * at::mv(down[expert], h);
                total = total + probabilities[token][expert];
            }
            outputs.push_back(e.normaliseTopK ? sum / total : sum);
        }
        at::Tensor y = at::stack(outputs).view(n.sizes());
        if (e.sharedWidth == 0)
            return y;
        const at::Tensor shared = dense(n, name + "shared.");
        return e.sharedGate ? y + shared / (1.0 + at::exp(-at::matmul(n, get(name + "shared.gate.weight").t())))
                            : y + shared;
    }

    at::Tensor headInput(at::Tensor x)
    {
        if (m_model.finalNorm)
            x = norm(x, "final_norm");
        switch (m_model.head) {
        case HeadKind::causal:
            return x;
        case HeadKind::masked:
            return normed(activated(linear(x, "transform"), m_model.activation), "transform_norm", m_model.norm,
                          m_model.headNormEpsilon > 0 ? m_model.headNormEpsilon : m_model.normEpsilon);
        case HeadKind::sequence:
            return activated(linear(x.select(1, 0), "pooler"), m_model.poolerActivation);
        case HeadKind::image:
            return x.select(1, 0);
        }
        return {};
    }

    at::Tensor scores(const at::Tensor &x)
    {
        at::Tensor y = at::matmul(x, get(m_model.tiedHead ? "embedding.tokens.weight" : "head.weight").t());
        if (const at::Tensor bias = get("head.bias"); bias.defined())
            y = y + bias;
        y = y * m_model.logitScale;
        return m_model.finalSoftcap > 0 ? m_model.finalSoftcap * at::tanh(y / m_model.finalSoftcap) : y;
    }

    const ModelConfig &m_model;
    std::map<std::string, at::Tensor> m_leaves;
    std::map<int, at::Tensor> m_choices;
};

} // namespace

ReferenceResult referenceForwardBackward(const ModelConfig &model, gpu::TorchWorkload &prepared,
                                         const std::map<int, at::Tensor> &choices)
{
    ReferenceModel reference(model, prepared.parameters(), choices);
    prepared.batches().fill(0);
    const at::Tensor loss = reference.loss(prepared.batches().inputs(0), prepared.batches().targets(0));
    torch::autograd::backward({loss}, {});
    ReferenceResult result;
    result.loss = loss.item<double>();
    for (const auto &[name, leaf] : reference.leaves())
        result.gradients[name] = leaf.grad();
    result.choices = reference.choices();
    return result;
}

void fillWithNoise(gpu::ParameterStore &parameters)
{
    const at::NoGradGuard noGraph;
    for (std::size_t i = 0; i < parameters.tensors().size(); ++i) {
        const core::Parameter &parameter = parameters.inventory()[i];
        std::uint64_t seed = 1469598103934665603U; // FNV-1a over the name: the same on every machine
        for (const char c : parameter.name)
            seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
        at::Tensor tensor = parameters.tensors()[i];
        const at::Tensor noise
            = at::empty(tensor.sizes(), at::kFloat).normal_(0, 0.2, at::detail::createCPUGenerator(seed));
        const bool factor = parameter.initializer == core::Initializer::ones;
        tensor.copy_(factor ? noise + 1.0 : noise);
    }
}

double relativeDifference(const at::Tensor &gradient, const at::Tensor &reference)
{
    if (!gradient.defined() && !reference.defined())
        return 0.0;
    const at::Tensor wanted = reference.defined() ? reference : at::zeros_like(gradient, wide());
    const at::Tensor found = gradient.defined() ? gradient.detach().to(at::kDouble) : at::zeros_like(wanted);
    const double largest = wanted.abs().max().item<double>();
    const double difference = (found - wanted).abs().max().item<double>();
    return largest > 0 ? difference / largest : difference;
}

} // namespace remat::tests
