// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/parts.h"

namespace remat::core::formula {

namespace {

Tensor expandHeads(const Tensor &t, const AttentionPart &part)
{
    return part.kvHeads == part.heads ? t : repeatInterleave(t, part.heads / part.kvHeads, 1);
}

bool isCausalByFlag(const AttentionPart &part)
{
    return part.causal && !part.mask.defined();
}

/// The explicit products, statement by statement as the engine writes them.
Tensor attendExplicitly(Tensor q, Tensor k, const Tensor &v, const AttentionPart &part)
{
    Tensor scores;
    {
        const Tensor turned = transpose(k, -2, -1);
        scores = matmul(q, turned);
    }
    q.reset();
    k.reset();
    {
        const Tensor scale = Tensor::make(scores.tape(), {}, Element::fp64);
        mul_(scores, scale);
    }
    if (part.softcap > 0) {
        scale_(scores);
        scores = activation(scores, Pointwise::tanh);
        scores = mulScalar(scores);
    }
    if (part.mask.defined())
        add_(scores, part.mask);
    Tensor probabilities = softmax(scores);
    scores.reset();
    probabilities = dropout(probabilities, part.dropout);
    return matmul(probabilities, v);
}

/// Whether the CPU's fused kernel runs: it has no dropout.
bool isFlash(const AttentionPart &part)
{
    return part.dropout <= 0;
}

Tensor attendFused(const Tensor &q, Tensor k, Tensor v, const AttentionPart &part)
{
    const bool grouped = part.kvHeads != part.heads && q.tape().isCpu();
    if (!grouped) {
        k = expandHeads(k, part);
        v = expandHeads(v, part);
    }
    const AttentionCall call{part.mask, isCausalByFlag(part), grouped, part.dropout};
    return isFlash(part) ? flashAttention(q, k, v, call) : mathAttention(q, k, v, call);
}

Tensor rotate(const Tensor &x, const AttentionPart &part)
{
    const std::int64_t rotated = part.cosines.size(-1);
    const Tensor turning = rotated == x.size(-1) ? x : narrow(x, -1, 0, rotated);
    Tensor crossed;
    {
        const Tensor upper = narrow(turning, -1, rotated / 2, rotated / 2);
        const Tensor negative = neg(upper);
        const Tensor lower = narrow(turning, -1, 0, rotated / 2);
        crossed = cat({negative, lower}, -1);
    }
    crossed = mul(crossed, part.sines);
    Tensor turned = mul(turning, part.cosines);
    add_(turned, crossed);
    if (rotated == x.size(-1))
        return turned;
    const Tensor rest = narrow(x, -1, rotated, x.size(-1) - rotated);
    return cat({turned, rest}, -1);
}

} // namespace

Tensors headed(Tensor qkv, const HeadNorms &norms, const AttentionPart &part)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t seq = qkv.size(1);
    const std::int64_t size = part.headSize;
    if (part.clip > 0)
        qkv = clampBetween(qkv);
    Tensors parts = split(qkv, {part.heads * size, part.kvHeads * size, part.kvHeads * size});
    const auto whole = [size](const NormPart &norm) { return norm.exists() && norm.size != size; };
    if (whole(norms.query)) {
        parts[0] = normalise(parts[0], norms.query);
        parts[1] = normalise(parts[1], norms.key);
    }
    for (Tensor &one : parts) {
        const Tensor last = std::move(one);
        one = transpose(view(last, {batch, seq, last.size(-1) / size, size}), 1, 2);
    }
    if (norms.query.exists() && !whole(norms.query)) {
        parts[0] = normalise(parts[0], norms.query);
        parts[1] = normalise(parts[1], norms.key);
    }
    if (part.cosines.defined()) {
        parts[0] = rotate(parts[0], part);
        parts[1] = rotate(parts[1], part);
        parts[2] = clone(parts[2]);
    }
    return parts;
}

Tensor attend(Tensor qkv, const HeadNorms &norms, const AttentionPart &part)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t seq = qkv.size(1);
    Tensors parts = headed(std::move(qkv), norms, part);
    Tensor q = std::move(parts[0]);
    Tensor k = std::move(parts[1]);
    Tensor v = std::move(parts[2]);
    parts.clear();
    Tensor out;
    if (part.explicitProducts) {
        k = expandHeads(k, part);
        v = expandHeads(v, part);
        const Tensor values = std::move(v);
        out = attendExplicitly(std::move(q), std::move(k), values, part);
    } else {
        out = attendFused(q, k, v, part);
    }
    q.reset();
    k.reset();
    v.reset();
    return reshape(transpose(out, 1, 2), {batch, seq, part.heads * part.headSize});
}

bool canKeepOutput(const Tensor &x, const AttentionPart &part)
{
    return x.tape().isCpu() && part.dropout <= 0 && !part.explicitProducts;
}

Tensor keptOutputAttention(const Tensor &z, const Tensor &anchor, const ManyForward &heads, const AttentionPart &part)
{
    const AttentionCall call{part.mask, isCausalByFlag(part), false, 0.0};
    const bool takesGradient = z.requiresGrad();
    const auto forward = [&](CustomNode &node) {
        const Tensors parts = heads(z);
        const FlashResult result = flashForwardRaw(parts[0], parts[1], call);
        node.keep("z", z);
        node.keep("out", result.out);
        node.keep("lse", result.logSumExp);
        return reshape(transpose(result.out, 1, 2), {z.size(0), z.size(1), part.heads * part.headSize});
    };
    return applyCustom(
        z.tape(), {&z, &anchor}, forward, [heads, call, takesGradient](CustomNode &node, Tensors gradients) {
            Tensor kept = node.take("z");
            Tensor out = node.take("out");
            Tensor dy = std::move(gradients[0]);
            SavedGraph graph;
            Tensors parts;
            {
                const ModeScope rebuild(kept.tape().rebuilding, true);
                parts = forwardSaveMany(heads, kept, takesGradient, graph);
            }
            kept.reset();
            const Shape shape = out.sizes();
            const Tensor dout = transposeRaw(reshapeRaw(dy, {shape[0], shape[2], shape[1], shape[3]}), 1, 2);
            Tensors dqkv;
            {
                const Tensor logSumExp = node.take("lse");
                dqkv = flashBackwardRaw(dout, parts, call);
            }
            out.reset();
            dy.reset();
            parts.clear();
            Tensor dz;
            if (graph.isRecorded()) {
                const Tensors held = dqkv; // the engine hands them over in a list that lives as long as the call
                dz = backwardMany(std::move(graph), std::move(dqkv));
            }
            return Tensors{dz, Tensor()};
        });
}

} // namespace remat::core::formula
