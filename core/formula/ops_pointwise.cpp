// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

/// Type of a pointwise result: a tensor with dimensions is stronger than a scalar tensor, fp32 than the reduced types,
/// any number than a mask.
Element commonType(const Tensor &a, const Tensor &b)
{
    if (a.type() == b.type())
        return a.type();
    if ((a.dim() == 0) != (b.dim() == 0) && a.type() != Element::boolean && b.type() != Element::boolean)
        return a.dim() == 0 ? b.type() : a.type();
    return std::max(a.type(), b.type());
}

Shape broadcast(const Shape &a, const Shape &b)
{
    Shape out(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::int64_t left = i + a.size() < out.size() ? 1 : a[i + a.size() - out.size()];
        const std::int64_t right = i + b.size() < out.size() ? 1 : b[i + b.size() - out.size()];
        out[i] = std::max(left, right);
    }
    return out;
}

Tensor castFor(const Tensor &x, Element type)
{
    return x.type() == type ? Tensor() : castRaw(x, type);
}

void countPointwise(const Tensor &out, const Tensor &a, const Tensor &b)
{
    out.tape().count(static_cast<double>(out.numel()), static_cast<double>(out.bytes() + a.bytes() + b.bytes()));
}

void countScaling(const Tensor &out)
{
    out.tape().count(static_cast<double>(out.numel()), static_cast<double>(2 * out.bytes()));
}

Tensor like(const Tensor &x)
{
    return Tensor::makeStrided(x.tape(), x.sizes(), iteratorStrides(x.sizes(), {x}), x.type());
}

Tensors scaleBack(const NativeNode::Call &call)
{
    return {scaledRaw(call.gradients[0])};
}

Tensors passOn(const NativeNode::Call &call)
{
    return {call.gradients[0]};
}

Tensors passToBoth(const NativeNode::Call &call)
{
    return {call.wants(0) ? call.gradients[0] : Tensor(), call.wants(1) ? call.gradients[0] : Tensor()};
}

/// The view's gradient in the base's shape (AsStridedBackward): zeros, and the gradient in its place.
Tensors asStridedBack(const NativeNode::Call &call, const Shape &base)
{
    Tensor whole = Tensor::make(call.gradients[0].tape(), base, call.gradients[0].type());
    whole.tape().count(0, static_cast<double>(whole.bytes() + 2 * call.gradients[0].bytes()));
    return {whole};
}

/// CopySlices: a copy of the base's gradient, of which the view's part goes through the operator.
Tensors copySlicesBack(const NativeNode::Call &call, NativeNode &inner, const Tensor &viewShape)
{
    Tensor result = emptyLike(call.gradients[0]);
    Tensor slice = Tensor::make(result.tape(), viewShape.sizes(), result.type());
    result.tape().count(0, static_cast<double>(4 * result.bytes()));
    Tensors gradients;
    gradients.push_back(std::move(slice));
    Tensors results = inner.apply(std::move(gradients));
    gradients.clear();
    results[0] = std::move(result);
    return results;
}

} // namespace

NumberScope::NumberScope(Tape &tape, Element type, Element number) : m_number(Tensor::make(tape, {}, number))
{
    if (type != number)
        m_cast = Tensor::make(tape, {}, type);
}

Tensor pointwiseRaw(const Tensor &a, const Tensor &b)
{
    const Element type = commonType(a, b);
    const Tensor left = castFor(a, type);
    const Tensor right = castFor(b, type);
    const Shape sizes = broadcast(a.sizes(), b.sizes());
    Tensor out = Tensor::makeStrided(a.tape(), sizes, iteratorStrides(sizes, {a, b}), type);
    countPointwise(out, a, b);
    return out;
}

Tensor scaledRaw(const Tensor &a)
{
    const NumberScope number(a.tape(), a.type());
    Tensor out = like(a);
    countScaling(out);
    return out;
}

Tensor addedRaw(const Tensor &a, const Tensor &b)
{
    return pointwiseRaw(a, b);
}

void addInPlace(Tensor &a, const Tensor &b)
{
    const Tensor right = castFor(b, a.type());
    countPointwise(a, a, b);
}

void mulInPlace(const Tensor &a, const Tensor &b)
{
    const Tensor right = castFor(b, a.type());
    countPointwise(a, a, b);
}

void scaleInPlace(const Tensor &a)
{
    const NumberScope number(a.tape(), a.type());
    countScaling(a);
}

Tensor mul(const Tensor &a, const Tensor &b)
{
    Tensor out = pointwiseRaw(a, b);
    record(out, {&a, &b}, {b.requiresGrad() ? a : Tensor(), a.requiresGrad() ? b : Tensor()},
           [](const NativeNode::Call &call) {
               // Derivatives run in the order of their names: "other" before "self".
               Tensor db = call.wants(1) ? pointwiseRaw(call.gradients[0], call.saved[0]) : Tensor();
               Tensor da = call.wants(0) ? pointwiseRaw(call.gradients[0], call.saved[1]) : Tensor();
               return Tensors{da, db};
           });
    return out;
}

Tensor mulScalar(const Tensor &a)
{
    Tensor out = scaledRaw(a);
    record(out, {&a}, {}, scaleBack);
    return out;
}

Tensor divScalar(const Tensor &a)
{
    return mulScalar(a);
}

Tensor add(const Tensor &a, const Tensor &b)
{
    Tensor out = addedRaw(a, b);
    record(out, {&a, &b}, {}, passToBoth);
    return out;
}

Tensor addScalar(const Tensor &a)
{
    Tensor out = scaledRaw(a);
    record(out, {&a}, {}, passOn);
    return out;
}

/// self: grad / other; other: -grad * ((self / other) / other).
Tensor div(const Tensor &a, const Tensor &b)
{
    Tensor out = pointwiseRaw(a, b);
    record(out, {&a, &b}, {a, b}, [](const NativeNode::Call &call) {
        const Tensor &gradient = call.gradients[0];
        Tensor db;
        if (call.wants(1)) {
            const Tensor ratio = pointwiseRaw(call.saved[0], call.saved[1]);
            const Tensor again = pointwiseRaw(ratio, call.saved[1]);
            const Tensor negative = like(gradient);
            db = pointwiseRaw(negative, again);
        }
        Tensor da = call.wants(0) ? pointwiseRaw(gradient, call.saved[1]) : Tensor();
        return Tensors{da, db};
    });
    return out;
}

Tensor neg(const Tensor &a)
{
    Tensor out = like(a);
    countScaling(out);
    record(out, {&a}, {}, [](const NativeNode::Call &call) {
        Tensor back = like(call.gradients[0]);
        countScaling(back);
        return Tensors{back};
    });
    return out;
}

/// Backward: where(self >= min && self <= max, grad, 0).
Tensor clampBetween(const Tensor &a)
{
    Tensor out = like(a);
    countScaling(out);
    record(out, {&a}, {a}, [](const NativeNode::Call &call) {
        const Tensor &self = call.saved[0];
        const Tensor zero = Tensor::make(self.tape(), {}, call.gradients[0].type());
        const Tensor above = emptyLike(self, Element::boolean);
        const Tensor below = emptyLike(self, Element::boolean);
        const Tensor both = emptyLike(self, Element::boolean);
        return Tensors{like(call.gradients[0])};
    });
    return out;
}

void recordInPlace(Tensor &a, const std::vector<const Tensor *> &others, Tensors saved, NativeNode::Work work)
{
    std::vector<const Tensor *> inputs = {&a};
    inputs.insert(inputs.end(), others.begin(), others.end());
    if (!records(inputs))
        return;
    if (!a.data().base) {
        record(a, inputs, std::move(saved), std::move(work));
        return;
    }
    // Writing into a view: its base goes through CopySlices, and the view's own history starts anew from the base.
    auto inner = std::make_shared<NativeNode>(a.tape().nextSequence(), std::move(saved), std::move(work));
    Tensor base(a.data().base);
    for (const Tensor *input : inputs)
        inner->addNext(input == &a ? base.edge() : input->edge());
    const Tensor shape = a.seenAs(a.sizes(), a.strides());
    std::vector<const Tensor *> sources = {&base};
    sources.insert(sources.end(), others.begin(), others.end());
    auto slices = std::make_shared<NativeNode>(
        a.tape().nextSequence(), Tensors{}, [inner, sizes = a.sizes()](const NativeNode::Call &call) {
            const Tensor viewShape = call.gradients[0].seenAs(sizes, contiguousStrides(sizes));
            Tensors results = copySlicesBack(call, *inner, viewShape);
            inner->release();
            return results;
        });
    for (const Tensor *source : sources)
        slices->addNext(source->edge());
    base.data().history = {slices, slices->addInput(base)};
    auto strided = std::make_shared<NativeNode>(
        a.tape().nextSequence(), Tensors{},
        [sizes = base.sizes()](const NativeNode::Call &call) { return asStridedBack(call, sizes); });
    strided->addNext(base.edge());
    a.data().history = {strided, strided->addInput(a)};
}

void add_(Tensor &a, const Tensor &b)
{
    addInPlace(a, b);
    recordInPlace(a, {&b}, {}, passToBoth);
}

void mul_(Tensor &a, const Tensor &b)
{
    mulInPlace(a, b);
    recordInPlace(a, {&b}, {b.requiresGrad() ? a.detach() : Tensor(), b}, [](const NativeNode::Call &call) {
        Tensor da = call.wants(0) ? pointwiseRaw(call.gradients[0], call.saved[1]) : Tensor();
        return Tensors{da, Tensor()};
    });
}

void scale_(Tensor &a)
{
    scaleInPlace(a);
    recordInPlace(a, {}, {}, scaleBack);
}

} // namespace remat::core::formula
