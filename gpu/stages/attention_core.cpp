// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/attention_core.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "stages/projection.h"

namespace remat::gpu {

using core::AttentionKernel;

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
bool takesGroups(const at::Tensor &q, const AttentionSettings &settings)
{
    return settings.kvHeads != settings.heads && q.device().is_cpu();
}

/// The causal flag stands for the mask only where there is none.
bool isCausalByFlag(const AttentionSettings &settings)
{
    return settings.causal && !settings.mask.defined();
}

std::optional<double> scaleOf(const AttentionSettings &settings)
{
    return settings.scale > 0 ? std::optional<double>(settings.scale) : std::nullopt;
}

/// Statement by statement: temporaries of one expression would all live to its end.
at::Tensor attendExplicitly(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionSettings &settings)
{
    const double scale = settings.scale > 0 ? settings.scale : 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
    q.reset();
    k.reset();
    scores.mul_(at::scalar_tensor(scale, at::kDouble)); // mul_ with a plain number would round it to the tensor's type
    if (settings.softcap > 0) {
        scores.div_(settings.softcap);
        scores = at::tanh(scores);
        scores = scores * settings.softcap; // tanh keeps its result: not in place
    }
    if (settings.mask.defined())
        scores.add_(settings.mask);
    at::Tensor probabilities = at::softmax(scores, -1);
    scores.reset();
    probabilities = dropout(probabilities, settings.dropout);
    return at::matmul(probabilities, v);
}

at::Tensor attendFused(const at::Tensor &q, at::Tensor k, at::Tensor v, const AttentionSettings &settings)
{
    const bool grouped = takesGroups(q, settings);
    if (!grouped) {
        k = expandHeads(k, settings);
        v = expandHeads(v, settings);
    }
    return at::scaled_dot_product_attention(q, k, v, given(settings.mask), settings.dropout, isCausalByFlag(settings),
                                            scaleOf(settings), grouped);
}

} // namespace

RotaryTable rotaryTable(std::int64_t seq, const std::vector<double> &frequencies, double factor,
                        const at::TensorOptions &options)
{
    const auto wide = at::TensorOptions().dtype(at::kDouble);
    const at::Tensor inverse = at::from_blob(const_cast<double *>(frequencies.data()), // NOLINT: only read
                                             {static_cast<std::int64_t>(frequencies.size())}, wide);
    const at::Tensor half = at::outer(at::arange(0, seq, wide), inverse);
    const at::Tensor angles = at::cat({half, half}, -1);
    return {(angles.cos() * factor).to(options), (angles.sin() * factor).to(options)};
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

at::Tensor attentionMask(std::int64_t seq, std::int64_t window, const AttentionSettings &settings,
                         const std::vector<double> &slopes, const at::TensorOptions &options)
{
    const bool windowed = window > 0 && window < seq;
    const bool causalMask
        = settings.causal && (windowed || !slopes.empty() || settings.kernel == AttentionKernel::math);
    if (!causalMask && !windowed && slopes.empty())
        return {};
    const auto cpu = at::TensorOptions().dtype(at::kDouble);
    at::Tensor seen = at::ones({seq, seq}, cpu.dtype(at::kBool));
    if (settings.causal)
        seen = seen.tril();
    if (windowed) {
        seen = seen.triu(1 - window);
        if (!settings.causal)
            seen = seen.tril(window - 1);
    }
    at::Tensor mask = at::zeros({seq, seq}, cpu);
    mask.masked_fill_(seen.logical_not(), -std::numeric_limits<double>::infinity());
    if (!slopes.empty()) {
        const at::Tensor keys = at::arange(0, seq, cpu);
        const at::Tensor distance
            = settings.causal ? keys.unsqueeze(0) - keys.unsqueeze(1) : -(keys.unsqueeze(0) - keys.unsqueeze(1)).abs();
        at::Tensor biases = at::zeros({1, static_cast<std::int64_t>(slopes.size()), seq, seq}, cpu);
        for (std::size_t head = 0; head < slopes.size(); ++head)
            biases.select(1, static_cast<std::int64_t>(head)).copy_(distance * slopes[head] + mask);
        mask = biases;
    }
    return mask.to(options);
}

std::vector<at::Tensor> headed(at::Tensor qkv, const QueryKeyNorms &norms, const AttentionSettings &settings)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t seq = qkv.size(1);
    const std::int64_t size = settings.headSize;
    if (settings.clip > 0)
        qkv = at::clamp(qkv, -settings.clip, settings.clip);
    // One split, not three views: its backward joins the three gradients once.
    auto parts = qkv.split_with_sizes({settings.heads * size, settings.kvHeads * size, settings.kvHeads * size}, -1);
    const auto whole = [size](const Norm &norm) { return norm.exists() && norm.size != size; };
    if (whole(norms.query)) {
        parts[0] = normalise(parts[0], norms.query);
        parts[1] = normalise(parts[1], norms.key);
    }
    for (at::Tensor &part : parts)
        part = std::move(part).view({batch, seq, -1, size}).transpose(1, 2);
    if (norms.query.exists() && !whole(norms.query)) {
        parts[0] = normalise(parts[0], norms.query);
        parts[1] = normalise(parts[1], norms.key);
    }
    if (settings.rotary.cosines.defined()) {
        parts[0] = rotate(parts[0], settings.rotary);
        parts[1] = rotate(parts[1], settings.rotary);
        // Turned queries and keys are tensors of their own; a copy of the values lets the fused product go.
        parts[2] = parts[2].clone();
    }
    return parts;
}

at::Tensor attend(at::Tensor qkv, const QueryKeyNorms &norms, const AttentionSettings &settings)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t seq = qkv.size(1);
    auto parts = headed(std::move(qkv), norms, settings);
    at::Tensor q = std::move(parts[0]);
    at::Tensor k = std::move(parts[1]);
    at::Tensor v = std::move(parts[2]);
    parts.clear();
    at::Tensor out;
    if (settings.kernel == AttentionKernel::math) {
        k = expandHeads(k, settings);
        v = expandHeads(v, settings);
        out = attendExplicitly(std::move(q), std::move(k), std::move(v), settings);
    } else {
        out = attendFused(q, k, v, settings);
    }
    q.reset();
    k.reset();
    v.reset();
    return out.transpose(1, 2).reshape({batch, seq, -1});
}

std::int64_t kernelChoice(const at::Tensor &q, const at::Tensor &k, const AttentionSettings &settings)
{
    if (settings.kernel == AttentionKernel::math)
        return -1;
    const bool grouped = takesGroups(q, settings);
    const at::Tensor keys = grouped ? k : expandHeads(k, settings);
    return at::_fused_sdp_choice(q, keys, keys, given(settings.mask), settings.dropout, isCausalByFlag(settings),
                                 scaleOf(settings), grouped);
}

void allowKernels(AttentionKernel kernel)
{
    const bool any = kernel == AttentionKernel::sdpa || kernel == AttentionKernel::math;
    at::globalContext().setSDPUseFlash(any || kernel == AttentionKernel::flash);
    at::globalContext().setSDPUseMemEfficient(any || kernel == AttentionKernel::efficient);
    at::globalContext().setSDPUseMath(any);
    at::globalContext().setSDPUseCuDNN(any);
}

} // namespace remat::gpu
