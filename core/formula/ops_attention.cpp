// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

/// Tiles of the CPU's flash kernel by the length of the queries.
struct Tiles
{
    std::int64_t queries = 0;
    std::int64_t keys = 0;
};
Tiles tilesOf(std::int64_t queries, std::int64_t keys)
{
    const std::int64_t wanted = queries >= 768 ? 256 : queries >= 192 ? 64 : 32;
    return {std::min(wanted, queries), std::min<std::int64_t>(512, keys)};
}

/// Both products of scores and values; the causal kernel leaves out tiles above the diagonal, about half.
double flops(const Tensor &q, std::int64_t keys, bool causal, double products)
{
    return products * 2.0 * static_cast<double>(q.numel()) * static_cast<double>(keys) * (causal ? 0.5 : 1.0);
}

/// scaled_dot_product_attention's own causal mask in the math kernel: ones, a triangle of them, numbers.
Tensor causalMask(const Tensor &q, std::int64_t keys)
{
    Tape &tape = q.tape();
    const Shape sizes = {q.size(-2), keys};
    Tensor triangle;
    {
        const Tensor ones = Tensor::make(tape, sizes, Element::boolean);
        triangle = Tensor::make(tape, sizes, Element::boolean);
    }
    const Tensor zero = Tensor::make(tape, {}, q.type());
    const Tensor hidden = Tensor::make(tape, {}, q.type());
    return Tensor::make(tape, sizes, q.type());
}

} // namespace

FlashResult flashForwardRaw(const Tensor &q, const Tensor &k, const AttentionCall &call)
{
    Tape &tape = q.tape();
    const Tiles tiles = tilesOf(q.size(2), k.size(2));
    FlashResult result{emptyLike(q), Tensor::make(tape, {q.size(0), q.size(2), q.size(1)}, Element::fp32)};
    const Tensor buffer = Tensor::make(
        tape, {tape.threads(), tiles.queries * tiles.keys + 2 * tiles.queries + tiles.queries * q.size(3)},
        Element::fp32);
    if (isReduced(q.type()))
        tape.scratch(tape.threads() * tiles.queries * tiles.keys * sizeOf(q.type()));
    tape.count(flops(q, k.size(2), call.causal, 2), static_cast<double>(2 * q.bytes() + 2 * k.bytes()));
    return result;
}

/// `qkv`: the three inputs. Gradients in the order of the heads' memory.
Tensors flashBackwardRaw(const Tensor &dout, const Tensors &qkv, const AttentionCall &call)
{
    Tape &tape = dout.tape();
    const auto gradientOf = [&](const Tensor &x) {
        return transposeRaw(Tensor::make(tape, {x.size(0), x.size(2), x.size(1), x.size(3)}, x.type()), 1, 2);
    };
    Tensors gradients = {gradientOf(qkv[0]), gradientOf(qkv[1]), gradientOf(qkv[2])};
    const Tensor turned = contiguous(transposeRaw(dout, 1, 2));
    const Tiles tiles = tilesOf(qkv[0].size(2), qkv[1].size(2));
    const std::int64_t area = 2 * tape.threads() * tiles.queries * tiles.keys;
    const Tensor buffer = Tensor::make(tape, {area}, Element::fp32);
    Tensor small;
    if (isReduced(dout.type()))
        small = Tensor::make(tape, {area}, dout.type());
    tape.scratch(tiles.queries * sizeOf(Element::fp32)); // row sums of the executor's thread
    tape.count(flops(qkv[0], qkv[1].size(2), call.causal, 5),
               static_cast<double>(4 * qkv[0].bytes() + 4 * qkv[1].bytes()));
    return gradients;
}

Tensor flashAttention(const Tensor &q, const Tensor &k, const Tensor &v, const AttentionCall &call)
{
    FlashResult result = flashForwardRaw(q, k, call);
    Tensor out = std::move(result.out);
    record(out, {&q, &k, &v}, {q, k, v, out.detach(), result.logSumExp}, [call](const NativeNode::Call &back) {
        return flashBackwardRaw(back.gradients[0], {back.saved[0], back.saved[1], back.saved[2]}, call);
    });
    return out;
}

/// LibTorch's composed kernel; reduced types are widened.
Tensor mathAttention(const Tensor &q, const Tensor &k, const Tensor &v, const AttentionCall &call)
{
    const Element type = isReduced(q.type()) ? Element::fp32 : q.type();
    const Tensor wideQ = cast(q, type);
    const Tensor wideK = cast(k, type);
    const Tensor wideV = cast(v, type);
    const Tensor scaledQ = mulScalar(wideQ);
    Tensor mask = call.mask;
    if (call.causal)
        mask = causalMask(wideQ, k.size(2));
    const std::int64_t times = q.size(1) / k.size(1);
    const Tensor keys = times > 1 ? repeatInterleave(wideK, times, -3) : wideK;
    const Tensor values = times > 1 ? repeatInterleave(wideV, times, -3) : wideV;
    Tensor scores;
    {
        const Tensor scaledK = mulScalar(transpose(keys, -2, -1));
        scores = matmul(scaledQ, scaledK);
    }
    if (mask.defined())
        add_(scores, mask);
    scores = safeSoftmax(scores);
    if (call.dropout > 0)
        scores = noiseDropout(scores);
    const Tensor product = matmul(scores, values);
    Tensor out = cast(product, q.type());
    const Tensor unused = cast(scores, q.type());
    return out;
}

} // namespace remat::core::formula
