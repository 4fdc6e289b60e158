// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

/// Sum over dimensions into a new block; the CPU's kernels accumulate in registers.
Tensor reduced(const Tensor &x, Shape sizes)
{
    Tensor out = Tensor::make(x.tape(), std::move(sizes), x.type());
    x.tape().count(static_cast<double>(x.numel()), static_cast<double>(x.bytes() + out.bytes()));
    return out;
}

Tensor pointwiseLike(const Tensor &x, double flopsEach, double reads)
{
    Tensor out = emptyLike(x);
    const auto bytes = static_cast<double>(x.bytes());
    x.tape().count(flopsEach * static_cast<double>(x.numel()), (1.0 + reads) * bytes);
    return out;
}

Tensor activationBackward(const Tensor &gradient, const Tensor &saved, Pointwise kind)
{
    if (kind != Pointwise::square)
        return pointwiseLike(gradient, 4, 2);
    // grad * (2 * self.pow(1))
    const Tensor power = pointwiseLike(saved, 1, 1);
    const Tensor doubled = scaledRaw(power);
    return pointwiseRaw(gradient, doubled);
}

bool keepsResult(Pointwise kind)
{
    return kind == Pointwise::relu || kind == Pointwise::tanh || kind == Pointwise::sigmoid;
}

Tensors layerNormBackward(const NativeNode::Call &call, std::int64_t size)
{
    const Tensor &gradient = call.gradients[0];
    const Tensor &x = call.saved[0];
    const Tensor &weight = call.saved[3];
    Tape &tape = x.tape();
    const Tensor dy = contiguous(gradient);
    const Tensor input = contiguous(x);
    Tensor dx;
    if (call.wants(0))
        dx = Tensor::make(tape, x.sizes(), x.type());
    Tensor dw;
    if (call.wants(1))
        dw = emptyLike(weight);
    Tensor db;
    if (call.wants(2))
        db = Tensor::make(tape, {size}, x.type());
    // Every thread sums its rows' shares of both gradients for itself.
    if (dw.defined() || db.defined())
        tape.scratch(2 * tape.threads() * size * sizeOf(x.type()));
    tape.count(8.0 * static_cast<double>(x.numel()), 3.0 * static_cast<double>(x.bytes()));
    return {dx, dw, db};
}

/// Mean over the last dimension: a sum, divided in place.
Tensor meanLast(const Tensor &x)
{
    Shape sizes = x.sizes();
    sizes.back() = 1;
    Tensor mean = reduced(x, sizes);
    scaleInPlace(mean);
    record(mean, {&x}, {}, [wide = x.sizes()](const NativeNode::Call &call) {
        const Tensor spread = expand(call.gradients[0], wide);
        return Tensors{scaledRaw(spread)};
    });
    return mean;
}

/// Backward: -0.5 * grad * result.pow(3).
Tensor inverseRoot(const Tensor &x)
{
    Tensor root = pointwiseLike(x, 2, 1);
    record(root, {&x}, {root.detach()}, [](const NativeNode::Call &call) {
        const Tensor cube = pointwiseLike(call.saved[0], 2, 1);
        const Tensor half = scaledRaw(call.gradients[0]);
        return Tensors{pointwiseRaw(half, cube)};
    });
    return root;
}

Tensor rootMeanSquareInverse(const Tensor &x)
{
    const Tensor squares = activation(x, Pointwise::square);
    Tensor mean = meanLast(squares);
    scaleInPlace(mean); // plus epsilon
    recordInPlace(mean, {}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
    return inverseRoot(mean);
}

} // namespace

Tensor summedTo(const Tensor &x, const Shape &sizes)
{
    return reduced(x, sizes);
}

Tensor sumRows(const Tensor &x)
{
    return reduced(x, {x.size(1)});
}

Tensor sumLast(const Tensor &x)
{
    Shape sizes = x.sizes();
    sizes.back() = 1;
    Tensor out = reduced(x, sizes);
    record(out, {&x}, {},
           [wide = x.sizes()](const NativeNode::Call &call) { return Tensors{expand(call.gradients[0], wide)}; });
    return out;
}

Tensor activation(const Tensor &x, Pointwise kind)
{
    Tensor out = pointwiseLike(x, kind == Pointwise::square ? 1 : 8, 1);
    record(out, {&x}, {keepsResult(kind) ? out.detach() : x}, [kind](const NativeNode::Call &call) {
        return Tensors{activationBackward(call.gradients[0], call.saved[0], kind)};
    });
    return out;
}

Tensor layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias, std::int64_t size)
{
    Tape &tape = x.tape();
    const Tensor input = contiguous(x);
    Tensor out = Tensor::make(tape, x.sizes(), x.type());
    Shape statistics = x.sizes();
    statistics.back() = 1;
    const Tensor mean = Tensor::make(tape, statistics, x.type());
    const Tensor deviation = Tensor::make(tape, statistics, x.type());
    tape.count(6.0 * static_cast<double>(x.numel()), 2.0 * static_cast<double>(x.bytes()));
    record(out, {&x, &weight, &bias}, {x, mean, deviation, weight, bias},
           [size](const NativeNode::Call &call) { return layerNormBackward(call, size); });
    return out;
}

/// The composed operator that LibTorch takes on the CPU: powers, means and products of the widened input.
Tensor rmsNorm(const Tensor &x, const Tensor &weight)
{
    const Tensor wide = cast(x, isReduced(x.type()) ? Element::fp32 : x.type());
    const Tensor root = rootMeanSquareInverse(wide);
    Tensor result = mul(wide, root);
    if (weight.defined())
        result = mul(result, weight);
    if (!result.isContiguous()) {
        Tensor copy = contiguousCopy(result);
        record(copy, {&result}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
        result = copy;
    }
    return cast(result, x.type());
}

Tensor nativeDropout(const Tensor &x)
{
    const Tensor mask = emptyLike(x, Element::boolean);
    Tensor out = pointwiseRaw(x, mask);
    scaleInPlace(out);
    record(out, {&x}, {mask}, [](const NativeNode::Call &call) {
        return Tensors{nativeDropoutBackward(call.gradients[0], call.saved[0])};
    });
    return out;
}

Tensor nativeDropoutBackward(const Tensor &gradient, const Tensor &mask)
{
    const Tensor masked = pointwiseRaw(gradient, mask);
    return scaledRaw(masked);
}

Tensor noiseDropout(const Tensor &x)
{
    const Tensor noise = emptyLike(x);
    scaleInPlace(noise);
    return mul(x, noise);
}

Tensor softmax(const Tensor &x)
{
    Tensor out = Tensor::make(x.tape(), x.sizes(), x.type());
    x.tape().count(5.0 * static_cast<double>(x.numel()), 2.0 * static_cast<double>(x.bytes()));
    record(out, {&x}, {out.detach()},
           [](const NativeNode::Call &call) { return Tensors{pointwiseLike(call.gradients[0], 4, 2)}; });
    return out;
}

/// Rows that see nothing become zeros: they are looked for in the scores.
Tensor safeSoftmax(const Tensor &x)
{
    Tensor out = softmax(x);
    const Tensor hidden = emptyLike(x, Element::boolean);
    Shape rowShape = x.sizes();
    rowShape.back() = 1;
    const Tensor hiddenRows = Tensor::make(x.tape(), rowShape, Element::boolean);
    x.tape().scratch(sizeOf(x.type()));
    x.tape().count(0, static_cast<double>(x.bytes() + 2 * hidden.bytes()));
    return out;
}

} // namespace remat::core::formula
