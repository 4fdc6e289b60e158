// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

std::size_t at(const Tensor &x, int dimension)
{
    return static_cast<std::size_t>(dimension < 0 ? dimension + static_cast<int>(x.dim()) : dimension);
}

/// A view holds its base, with or without a graph: a gradient that is a view is never the last holder of its storage.
Tensor asView(const Tensor &x, Shape sizes, Shape strides)
{
    Tensor out = x.seenAs(std::move(sizes), std::move(strides));
    out.data().base = x.data().base ? x.data().base : x.shared();
    return out;
}

/// Strides of `sizes` over the same elements; nothing where they have to be copied. As TensorUtils' computeStride.
std::optional<Shape> viewStrides(const Tensor &x, const Shape &sizes)
{
    Shape strides(sizes.size(), 1);
    auto next = static_cast<std::ptrdiff_t>(sizes.size()) - 1;
    std::int64_t base = x.dim() == 0 ? 1 : x.strides().back();
    std::int64_t oldCount = 1;
    std::int64_t newCount = 1;
    for (auto i = static_cast<std::ptrdiff_t>(x.dim()) - 1; i >= 0; --i) {
        const auto d = static_cast<std::size_t>(i);
        oldCount *= x.sizes()[d];
        const bool chunkEnds = i == 0 || (x.sizes()[d - 1] != 1 && x.strides()[d - 1] != oldCount * base);
        if (!chunkEnds)
            continue;
        while (next >= 0 && (newCount < oldCount || sizes[static_cast<std::size_t>(next)] == 1)) {
            strides[static_cast<std::size_t>(next)] = newCount * base;
            newCount *= sizes[static_cast<std::size_t>(next)];
            --next;
        }
        if (newCount != oldCount)
            return std::nullopt;
        if (i > 0) {
            base = x.strides()[d - 1];
            oldCount = newCount = 1;
        }
    }
    if (next >= 0 && x.dim() > 0)
        return std::nullopt;
    return strides;
}

NativeNode::Work backTo(const Tensor &x)
{
    return [sizes = x.sizes()](const NativeNode::Call &call) { return Tensors{reshapeRaw(call.gradients[0], sizes)}; };
}

/// Zeros of the whole, of which the gradient fills a part.
Tensor spread(const Tensor &gradient, const Shape &whole)
{
    Tensor zeros = Tensor::make(gradient.tape(), whole, gradient.type());
    gradient.tape().count(0, static_cast<double>(zeros.bytes() + 2 * gradient.bytes()));
    return zeros;
}

Shape swapped(Shape values, std::size_t a, std::size_t b)
{
    std::swap(values[a], values[b]);
    return values;
}

} // namespace

Tensor reshapeRaw(const Tensor &x, const Shape &sizes)
{
    if (auto strides = viewStrides(x, sizes))
        return asView(x, sizes, std::move(*strides));
    return contiguousCopy(x).seenAs(sizes, contiguousStrides(sizes));
}

Tensor view(const Tensor &x, Shape sizes)
{
    Tensor out = reshapeRaw(x, sizes);
    record(out, {&x}, {}, backTo(x));
    return out;
}

Tensor unsafeView(const Tensor &x, Shape sizes)
{
    const Shape strides = contiguousStrides(sizes);
    Tensor out = x.seenAs(std::move(sizes), strides);
    record(out, {&x}, {}, backTo(x));
    return out;
}

Tensor reshape(const Tensor &x, Shape sizes)
{
    if (viewStrides(x, sizes))
        return view(x, std::move(sizes));
    Tensor copy = contiguousCopy(x);
    record(copy, {&x}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
    return unsafeView(copy, std::move(sizes));
}

Tensor transposeRaw(const Tensor &x, int a, int b)
{
    return asView(x, swapped(x.sizes(), at(x, a), at(x, b)), swapped(x.strides(), at(x, a), at(x, b)));
}

Tensor transpose(const Tensor &x, int a, int b)
{
    Tensor out = transposeRaw(x, a, b);
    record(out, {&x}, {},
           [a, b](const NativeNode::Call &call) { return Tensors{transposeRaw(call.gradients[0], a, b)}; });
    return out;
}

Tensor permute(const Tensor &x, const std::vector<std::size_t> &order)
{
    Shape sizes;
    Shape strides;
    for (const std::size_t i : order) {
        sizes.push_back(x.sizes()[i]);
        strides.push_back(x.strides()[i]);
    }
    return asView(x, sizes, strides); // of images only, which take no gradient
}

Tensor narrowRaw(const Tensor &x, int dimension, std::int64_t length)
{
    Shape sizes = x.sizes();
    sizes[at(x, dimension)] = length;
    return asView(x, std::move(sizes), x.strides());
}

Tensor narrow(const Tensor &x, int dimension, std::int64_t /*start*/, std::int64_t length)
{
    Tensor out = narrowRaw(x, dimension, length);
    record(out, {&x}, {},
           [whole = x.sizes()](const NativeNode::Call &call) { return Tensors{spread(call.gradients[0], whole)}; });
    return out;
}

Tensor select(const Tensor &x, int dimension)
{
    Shape sizes = x.sizes();
    Shape strides = x.strides();
    sizes.erase(sizes.begin() + dimension);
    strides.erase(strides.begin() + dimension);
    Tensor out = asView(x, std::move(sizes), std::move(strides));
    record(out, {&x}, {},
           [whole = x.sizes()](const NativeNode::Call &call) { return Tensors{spread(call.gradients[0], whole)}; });
    return out;
}

Tensors split(const Tensor &x, const Shape &sizes)
{
    Tensors parts;
    for (const std::int64_t size : sizes)
        parts.push_back(narrowRaw(x, -1, size));
    recordMany(parts, x, {}, [shape = x.sizes(), sizes](const NativeNode::Call &call) {
        Tensors all = call.gradients;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].defined())
                continue;
            Shape part = shape;
            part.back() = sizes[i];
            const auto given
                = std::find_if(all.begin(), all.end(), [](const Tensor &gradient) { return gradient.defined(); });
            all[i] = Tensor::make(given->tape(), part, given->type());
        }
        return Tensors{cat(all, -1)};
    });
    return parts;
}

Tensor expand(const Tensor &x, Shape sizes)
{
    Shape strides(sizes.size(), 0);
    for (std::size_t i = 0; i < x.dim(); ++i) {
        const std::size_t to = sizes.size() - x.dim() + i;
        strides[to] = x.sizes()[i] == sizes[to] ? x.strides()[i] : 0;
    }
    Tensor out = asView(x, std::move(sizes), std::move(strides));
    record(out, {&x}, {}, [shape = x.sizes()](const NativeNode::Call &call) {
        return Tensors{call.gradients[0].sizes() == shape ? call.gradients[0] : summedTo(call.gradients[0], shape)};
    });
    return out;
}

Tensor alias(const Tensor &x)
{
    Tensor out = asView(x, x.sizes(), x.strides());
    record(out, {&x}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
    return out;
}

Tensor emptyLike(const Tensor &x, Element type)
{
    if (x.isDense())
        return Tensor::makeStrided(x.tape(), x.sizes(), x.strides(), type);
    return Tensor::makeStrided(x.tape(), x.sizes(), iteratorStrides(x.sizes(), {x}), type);
}

Tensor emptyLike(const Tensor &x)
{
    return emptyLike(x, x.type());
}

Tensor contiguousCopy(const Tensor &x)
{
    Tensor copy = Tensor::make(x.tape(), x.sizes(), x.type());
    x.tape().count(0, static_cast<double>(2 * copy.bytes()));
    return copy;
}

Tensor contiguous(const Tensor &x)
{
    return x.isContiguous() ? x : contiguousCopy(x);
}

Tensor clone(const Tensor &x)
{
    Tensor copy = emptyLike(x);
    x.tape().count(0, static_cast<double>(2 * copy.bytes()));
    record(copy, {&x}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
    return copy;
}

Tensor castRaw(const Tensor &x, Element type)
{
    Tensor copy = emptyLike(x, type);
    x.tape().count(0, static_cast<double>(x.bytes() + copy.bytes()));
    return copy;
}

Tensor cast(const Tensor &x, Element type)
{
    if (x.type() == type)
        return x;
    Tensor copy = castRaw(x, type);
    record(copy, {&x}, {},
           [from = x.type()](const NativeNode::Call &call) { return Tensors{castRaw(call.gradients[0], from)}; });
    return copy;
}

Tensor cat(const Tensors &parts, int dimension)
{
    Shape sizes = parts.front().sizes();
    const std::size_t along = at(parts.front(), dimension);
    sizes[along] = 0;
    Shape lengths;
    std::vector<const Tensor *> inputs;
    for (const Tensor &part : parts) {
        lengths.push_back(part.sizes()[along]);
        sizes[along] += lengths.back();
        inputs.push_back(&part);
    }
    Tensor out = Tensor::make(parts.front().tape(), sizes, parts.front().type());
    out.tape().count(0, static_cast<double>(2 * out.bytes()));
    record(out, inputs, {}, [dimension, lengths](const NativeNode::Call &call) {
        Tensors results;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            results.push_back(call.wants(i) ? narrowRaw(call.gradients[0], dimension, lengths[i]) : Tensor());
        return results;
    });
    return out;
}

/// Unsqueezed, expanded, copied and flattened.
Tensor repeatInterleave(const Tensor &x, std::int64_t times, int dimension)
{
    const std::size_t along = at(x, dimension) + 1;
    Shape sizes = x.sizes();
    Shape strides = x.strides();
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(along), 1);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(along), 1);
    Tensor inserted = asView(x, sizes, strides);
    record(inserted, {&x}, {}, backTo(x));
    sizes[along] = times;
    const Tensor wide = expand(inserted, sizes);
    Tensor copy = contiguousCopy(wide);
    record(copy, {&wide}, {}, [](const NativeNode::Call &call) { return Tensors{call.gradients[0]}; });
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(along));
    sizes[along - 1] *= times;
    return view(copy, sizes);
}

/// TensorIterator's order of dimensions: by stride, the first input that can tell decides.
Shape iteratorStrides(const Shape &sizes, const Tensors &inputs)
{
    const auto count = static_cast<int>(sizes.size());
    std::vector<std::size_t> order; // fastest first
    for (int i = count - 1; i >= 0; --i)
        order.push_back(static_cast<std::size_t>(i));
    const auto strideOf = [&](const Tensor &x, std::size_t d) -> std::int64_t {
        const std::size_t missing = sizes.size() - x.dim();
        if (d < missing)
            return 0;
        return x.sizes()[d - missing] == 1 && sizes[d] != 1 ? 0 : x.strides()[d - missing];
    };
    const auto shouldSwap = [&](std::size_t a, std::size_t b) {
        for (const Tensor &x : inputs) {
            const std::int64_t sa = strideOf(x, a);
            const std::int64_t sb = strideOf(x, b);
            if (sa == 0 || sb == 0)
                continue;
            if (sa != sb)
                return sa < sb ? -1 : 1;
            if (sizes[a] > sizes[b])
                return 1;
        }
        return 0;
    };
    for (int i = 1; i < count; ++i) {
        int place = i;
        for (int before = i - 1; before >= 0; --before) {
            const int swap
                = shouldSwap(order[static_cast<std::size_t>(before)], order[static_cast<std::size_t>(place)]);
            if (swap > 0) {
                std::swap(order[static_cast<std::size_t>(before)], order[static_cast<std::size_t>(place)]);
                place = before;
            } else if (swap < 0) {
                break;
            }
        }
    }
    Shape strides(sizes.size());
    std::int64_t step = 1;
    for (const std::size_t d : order) {
        strides[d] = step;
        step *= std::max<std::int64_t>(sizes[d], 1);
    }
    return strides;
}

} // namespace remat::core::formula
