// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/parts.h"

namespace remat::core::formula {

namespace {

/// What follows from a router's choice, as far as it takes memory.
struct Dispatch
{
    Tensor order, token, place;
    std::int64_t perToken = 0;
};

/// A stable sort of whole numbers: sorted values and a buffer beside the indices.
Tensor argsort(const Tensor &values)
{
    Tape &tape = values.tape();
    const Tensor sorted = Tensor::make(tape, values.sizes(), Element::int64);
    Tensor indices = Tensor::make(tape, values.sizes(), Element::int64);
    tape.scratch(values.numel() * sizeOf(Element::int64));
    tape.count(0, static_cast<double>(4 * values.bytes()));
    return indices;
}

std::shared_ptr<const Dispatch> dispatchOf(const Tensor &choice, const Experts &shape)
{
    Tape &tape = choice.tape();
    const ModeScope noGraph(tape.gradMode, false);
    auto dispatch = std::make_shared<Dispatch>();
    const Tensor flat = reshapeRaw(choice, {choice.numel()});
    dispatch->order = argsort(flat);
    {
        const NumberScope perToken(tape, Element::int64, Element::int64);
        dispatch->token = Tensor::make(tape, flat.sizes(), Element::int64);
    }
    dispatch->place = argsort(dispatch->order);
    tape.scratch(sizeOf(Element::int64)); // the least and the largest expert
    tape.scratch(sizeOf(Element::int64));
    tape.scratch(shape.count * sizeOf(Element::int64)); // pairs of each
    dispatch->perToken = shape.perToken;
    return dispatch;
}

Tensor sumPerToken(const Tensor &pairs, const Tensor &place, std::int64_t perToken)
{
    const Tensor sorted = indexRowsRaw(pairs, place);
    return summedTo(sorted, {pairs.size(0) / perToken, pairs.size(1)});
}

Tensor gather(const Tensor &tokens, const std::shared_ptr<const Dispatch> &dispatch)
{
    const auto forward = [&](CustomNode &node) {
        node.keep("place", dispatch->place);
        return indexRowsRaw(tokens, dispatch->token);
    };
    return applyCustom(tokens.tape(), {&tokens}, forward,
                       [perToken = dispatch->perToken](CustomNode &node, const Tensors &gradients) {
                           const Tensor place = node.take("place");
                           return Tensors{sumPerToken(gradients[0], place, perToken)};
                       });
}

Tensor sum(const Tensor &pairs, const std::shared_ptr<const Dispatch> &dispatch)
{
    const auto forward = [&](CustomNode &node) {
        node.keep("token", dispatch->token);
        return sumPerToken(pairs, dispatch->place, dispatch->perToken);
    };
    return applyCustom(pairs.tape(), {&pairs}, forward, [](CustomNode &node, const Tensors &gradients) {
        const Tensor token = node.take("token");
        return Tensors{indexRowsRaw(gradients[0], token)};
    });
}

/// Products of all experts into slices of one tensor: their scratch is counted apart.
Tensor groupedProduct(const Tensor &a, const Shape &sizes, std::int64_t inner, const Tensor &weight)
{
    Tensor y = Tensor::make(a.tape(), sizes, a.type());
    a.tape().count(2.0 * static_cast<double>(y.numel()) * static_cast<double>(inner),
                   static_cast<double>(a.bytes() + y.bytes() + weight.bytes()));
    return y;
}

Tensors groupedBackward(CustomNode &node, Tensors gradients, const RebuildPlan &plan, bool wantsInput, bool wantsWeight)
{
    const Tensor weight = node.saved()[0];
    Tensor dy = std::move(gradients[0]);
    Tensor a = node.take("z");
    SavedGraph graph;
    if (plan.run)
        a = plan.again(a, graph);
    Tensor dw;
    if (wantsWeight) {
        dw = Tensor::make(weight.tape(), weight.sizes(), weight.type());
        dw.tape().count(2.0 * static_cast<double>(a.numel()) * static_cast<double>(dy.size(1)),
                        static_cast<double>(a.bytes() + dy.bytes() + 2 * dw.bytes()));
    }
    const Shape shape = a.sizes();
    a.reset();
    Tensor da;
    if (wantsInput)
        da = groupedProduct(dy, shape, dy.size(1), weight);
    dy.reset();
    if (plan.run)
        da = RebuildPlan::backThrough(std::move(graph), std::move(da));
    return {da, dw};
}

Tensor grouped(const Tensor &z, const Tensor &weight, const Rebuild *before)
{
    const Tensor cast = matching(weight, z);
    const auto product = [&] {
        const Tensor a = before ? (*before)(z) : z;
        return groupedProduct(a, {a.size(0), cast.size(1)}, a.size(1), cast);
    };
    if (!z.tape().gradMode)
        return product();
    const RebuildPlan plan = before ? RebuildPlan::of(*before, z) : RebuildPlan();
    const auto forward = [&](CustomNode &node) {
        node.keep("z", z);
        node.setSaved({cast});
        return product();
    };
    const bool wantsInput = before != nullptr || z.requiresGrad();
    return applyCustom(z.tape(), {&z, &cast}, forward,
                       [plan, wantsInput, wantsWeight = cast.requiresGrad()](CustomNode &node, Tensors gradients) {
                           return groupedBackward(node, std::move(gradients), plan, wantsInput, wantsWeight);
                       });
}

Tensor routed(const Tensor &n, const ExpertsPart &part, Tensor &choice)
{
    Tape &tape = n.tape();
    Tensor scores;
    {
        const Tensor router = matching(part.router, n);
        const Tensor product = linear(n, router, {});
        scores = cast(product, Element::fp32);
    }
    const Tensor probabilities = softmax(scores);
    if (!choice.defined()) {
        const Shape sizes = {n.size(0), part.shape.perToken};
        const Tensor values = Tensor::make(tape, sizes, Element::fp32);
        choice = Tensor::make(tape, sizes, Element::int64);
    }
    Tensor chosen = gatherLast(probabilities, choice);
    if (part.shape.normaliseTopK) {
        const Tensor total = sumLast(chosen);
        chosen = div(chosen, total);
    }
    return cast(chosen, n.type());
}

Tensor sparse(const Tensor &n, const ExpertsPart &part, ExpertsOption option,
              const std::shared_ptr<const Dispatch> &dispatch, const Tensor &probabilities)
{
    const bool graph = n.tape().gradMode;
    const Rebuild act = [&part](const Tensor &h) { return activated(h, part.activation, part.gated); };
    const Rebuild up = [&part, dispatch](const Tensor &t) { return grouped(gather(t, dispatch), part.up, nullptr); };
    const Rebuild hidden = [&part, up](const Tensor &t) { return activated(up(t), part.activation, part.gated); };
    Tensor out;
    if (graph && option.dropUp)
        out = grouped(n, part.down, &hidden);
    else if (graph && option.dropActivation)
        out = grouped(up(n), part.down, &act);
    else
        out = grouped(hidden(n), part.down, nullptr);
    const Tensor flat = reshape(probabilities, {probabilities.numel(), 1});
    const Tensor weights = indexRows(flat, dispatch->order);
    return sum(mul(out, weights), dispatch);
}

Tensor shared(const Tensor &n, const ExpertsPart &part)
{
    const Tensor h = project(n, part.sharedUp);
    const Tensor y = project(activated(h, part.activation, part.gated), part.sharedDown);
    if (!part.sharedGate.defined())
        return y;
    const Tensor gate = linear(n, matching(part.sharedGate, n), {});
    return mul(y, activation(gate, Pointwise::sigmoid));
}

} // namespace

Tensor mixture(const Tensor &n, const ExpertsPart &part, ExpertsOption option, Tensor &choice)
{
    const Tensor flat = rows(n);
    const Tensor probabilities = routed(flat, part, choice);
    const auto dispatch = dispatchOf(choice, part.shape);
    Tensor y = sparse(flat, part, option, dispatch, probabilities);
    if (part.shape.sharedWidth > 0)
        y = add(y, shared(flat, part));
    return view(y, n.sizes());
}

} // namespace remat::core::formula
