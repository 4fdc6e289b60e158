// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/attention_core.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "stages/residual_tail.h"

namespace remat::gpu {

namespace {

std::optional<at::Tensor> given(const at::Tensor &mask)
{
    return mask.defined() ? std::optional<at::Tensor>(mask) : std::nullopt;
}

at::Tensor expandHeads(const at::Tensor &t, const AttentionSettings &settings)
{
    return settings.kvHeads == settings.heads ? t : t.repeat_interleave(settings.heads / settings.kvHeads, 1);
}

/// The CPU's flash kernel takes grouped keys as they are; on other devices only some kernels do, and half the types fall
/// back to math without a word, so keys and values are expanded there.
bool takesGroups(const at::Tensor &q)
{
    return q.device().is_cpu();
}

at::Tensor dropProbabilities(const at::Tensor &probabilities, double p)
{
    if (probabilities.device().is_cpu())
        return std::get<0>(at::native_dropout(probabilities, p, true));
    // The fused kernel of other devices draws differently from a mask; one form everywhere keeps runs comparable.
    return probabilities * dropoutMask(probabilities, p) * (1.0 / (1.0 - p));
}

/// Statement by statement: temporaries of one expression would all live to its end.
at::Tensor attendExplicitly(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionSettings &settings)
{
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
    q.reset();
    k.reset();
    scores.mul_(at::scalar_tensor(scale, at::kDouble)); // mul_ with a plain number would round it to the tensor's type
    scores.masked_fill_(settings.mask, -std::numeric_limits<double>::infinity());
    at::Tensor probabilities = at::softmax(scores, -1);
    scores.reset();
    if (settings.dropout > 0)
        probabilities = dropProbabilities(probabilities, settings.dropout);
    return at::matmul(probabilities, v);
}

} // namespace

RotaryTable rotaryTable(std::int64_t seq, std::int64_t rotated, double theta, const at::TensorOptions &options)
{
    const auto wide = options.dtype(at::kDouble);
    const at::Tensor exponents = at::arange(0, rotated, 2, wide) / static_cast<double>(rotated);
    const at::Tensor frequencies = at::pow(theta, exponents).reciprocal();
    const at::Tensor half = at::outer(at::arange(0, seq, wide), frequencies);
    const at::Tensor angles = at::cat({half, half}, -1);
    return {angles.cos().to(options), angles.sin().to(options)};
}

at::Tensor rotate(const at::Tensor &x, const RotaryTable &table)
{
    if (!table.cosines.defined())
        return x;
    const std::int64_t rotated = table.cosines.size(-1);
    const at::Tensor turning = rotated == x.size(-1) ? x : x.narrow(-1, 0, rotated);
    at::Tensor crossed
        = at::cat({turning.narrow(-1, rotated / 2, rotated / 2).neg(), turning.narrow(-1, 0, rotated / 2)}, -1);
    crossed = crossed * table.sines;
    at::Tensor turned = turning * table.cosines;
    turned.add_(crossed);
    if (rotated == x.size(-1))
        return turned;
    return at::cat({turned, x.narrow(-1, rotated, x.size(-1) - rotated)}, -1);
}

at::Tensor attentionMask(std::int64_t seq, std::int64_t window, core::AttentionKernel kernel,
                         const at::TensorOptions &options)
{
    const bool windowed = window > 0 && window < seq;
    if (!windowed && kernel == core::AttentionKernel::sdpa)
        return {};
    at::Tensor seen = at::ones({seq, seq}, options.dtype(at::kBool)).tril();
    if (windowed)
        seen = seen.triu(1 - window);
    return kernel == core::AttentionKernel::math ? at::logical_not(seen) : seen;
}

at::Tensor attend(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionSettings &settings)
{
    const std::int64_t batch = q.size(0);
    const std::int64_t seq = q.size(2);
    at::Tensor out;
    if (settings.kernel == core::AttentionKernel::math) {
        k = expandHeads(k, settings);
        v = expandHeads(v, settings);
        out = attendExplicitly(std::move(q), std::move(k), std::move(v), settings);
    } else {
        const bool grouped = settings.kvHeads != settings.heads && takesGroups(q);
        if (!grouped) {
            k = expandHeads(k, settings);
            v = expandHeads(v, settings);
        }
        const auto mask = given(settings.mask);
        out = at::scaled_dot_product_attention(q, k, v, mask, settings.dropout, !mask, std::nullopt, grouped);
    }
    q.reset();
    k.reset();
    v.reset();
    return out.transpose(1, 2).reshape({batch, seq, -1});
}

std::string kernelName(const at::Tensor &q, const at::Tensor &k, const AttentionSettings &settings)
{
    if (settings.kernel == core::AttentionKernel::math)
        return "math (explicit)";
    const bool grouped = settings.kvHeads != settings.heads && takesGroups(q);
    const at::Tensor keys = grouped ? k : expandHeads(k, settings);
    const auto mask = given(settings.mask);
    static const char *const names[] = {"math", "flash", "memory-efficient", "cuDNN", "other"};
    const std::int64_t choice
        = at::_fused_sdp_choice(q, keys, keys, mask, settings.dropout, !mask, std::nullopt, grouped);
    return choice >= 0 && choice < 5 ? names[choice] : "unknown";
}

} // namespace remat::gpu
