// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/parts.h"

namespace remat::core::formula {

namespace {

Tensor halfOf(const Tensor &h)
{
    return narrowRaw(h, -1, h.size(-1) / 2);
}

/// A kernel that works in place makes no block; its work is that of the operator that makes one.
void countInPlace(const Tensor &x, double flopsEach, int tensors)
{
    x.tape().count(flopsEach * static_cast<double>(x.numel()), tensors * static_cast<double>(x.bytes()));
}

void countActivationBackward(const Tensor &gradient)
{
    countInPlace(gradient, 4, 3);
}

Tensor product(const Tensor &h, Activation kind, bool gated);

Tensor productAgain(const Tensor &h, const FeedPart &feed)
{
    const ModeScope rebuild(h.tape().rebuilding, true);
    return product(h, feed.activation, feed.gated);
}

Tensor product(const Tensor &h, Activation kind, bool gated)
{
    if (!gated)
        return activate(kind, h);
    Tensor a = activate(kind, halfOf(h));
    mulInPlace(a, halfOf(h));
    return a;
}

/// In the steps of the native graph, in place.
Tensor productBackward(Tensor da, const Tensor &h, Activation kind, bool gated)
{
    if (!gated) {
        countActivationBackward(da);
        return da;
    }
    Tensor dh = emptyLike(h);
    {
        const ModeScope rebuild(h.tape().rebuilding, true);
        const Tensor again = activate(kind, halfOf(h));
    }
    countInPlace(da, 1, 3); // gradient of the up half
    mulInPlace(da, halfOf(h));
    countActivationBackward(da);
    countInPlace(da, 0, 2); // its copy into the gate half
    return dh;
}

Tensors leanBackward(CustomNode &node, Tensors gradients, const FeedPart &feed)
{
    const Tensors &weights = node.saved();
    Tensor dy = std::move(gradients[0]);
    Tensor d = node.has("mask") ? nativeDropoutBackward(dy, node.take("mask")) : dy;
    d = rows(d);
    Tensor h = node.take("h");
    const Tensor db2 = feed.down.projection.bias.defined() ? sumRows(d) : Tensor();
    Tensor a = productAgain(h, feed);
    const Tensor dw2 = weightGradient(d, rows(a));
    a.reset();
    Tensor da = mmRaw(d, weights[1]);
    d.reset();
    h = rows(h);
    Tensor dh = productBackward(std::move(da), h, feed.activation, feed.gated);
    h.reset();
    Tensor n = node.take("n");
    const Shape shape = n.sizes();
    const Tensor db1 = feed.up.bias.defined() ? sumRows(dh) : Tensor();
    const Tensor dw1 = weightGradient(dh, rows(n));
    n.reset();
    const Tensor dn = reshapeRaw(mmRaw(dh, weights[0]), shape);
    return {dy, dn, dw1, db1, dw2, db2};
}

} // namespace

Tensor activate(Activation kind, const Tensor &h)
{
    switch (kind) {
    case Activation::silu:
        return activation(h, Pointwise::silu);
    case Activation::relu:
        return activation(h, Pointwise::relu);
    case Activation::reluSquared:
        return activation(activation(h, Pointwise::relu), Pointwise::square);
    case Activation::tanh:
        return activation(h, Pointwise::tanh);
    default:
        return activation(h, Pointwise::gelu);
    }
}

Tensor activated(Tensor h, Activation kind, bool gated)
{
    if (!h.tape().gradMode) {
        if (gated)
            return product(h, kind, true);
        if (!h.isOnlyHandle() || !h.isOnlyHolderOfStorage()) // somebody keeps it
            return activate(kind, h);
        const bool squared = kind == Activation::reluSquared;
        countInPlace(h, squared ? 9 : 8, squared ? 4 : 2);
        return h;
    }
    if (!gated) {
        const Tensor last = std::exchange(h, {});
        return activate(kind, last);
    }
    const Tensor last = std::exchange(h, {});
    const Tensors halves = split(last, {last.size(-1) / 2, last.size(-1) / 2});
    return mul(activate(kind, halves[0]), halves[1]);
}

bool isLeanKnown(const FeedPart &feed)
{
    return !feed.up.hasAdapter() && !feed.down.projection.hasAdapter() && feed.activation != Activation::reluSquared
        && feed.activation != Activation::tanh;
}

Tensor leanFeedForward(const Tensor &x, const Tensor &n, const FeedPart &feed, bool noOutput)
{
    const Tensor b2 = matching(feed.down.projection.bias, x);
    const Tensor w2 = matching(feed.down.projection.weight, x);
    const Tensor b1 = matching(feed.up.bias, x);
    const Tensor w1 = matching(feed.up.weight, x);
    const double p = feed.down.dropout;
    const auto forward = [&](CustomNode &node) {
        Tensor h = linear(n, w1, b1);
        Tensor mask;
        Tensor y;
        if (noOutput) {
            if (p > 0)
                mask = dropoutMask(x);
            y = placeholder(x);
        } else {
            y = linear(product(h, feed.activation, feed.gated), w2, b2);
            if (p > 0) {
                mask = dropoutMask(y);
                mulInPlace(y, mask);
                scaleInPlace(y);
            }
            addInPlace(y, x);
        }
        node.keep("n", n);
        node.keep("h", h);
        if (mask.defined())
            node.keep("mask", mask);
        node.setSaved({w1, w2});
        return y;
    };
    return applyCustom(x.tape(), {&x, &n, &w1, &b1, &w2, &b2}, forward, [&feed](CustomNode &node, Tensors gradients) {
        return leanBackward(node, std::move(gradients), feed);
    });
}

} // namespace remat::core::formula
