// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/parts.h"

namespace remat::core::formula {

namespace {

struct Weights
{
    const Tensor &weight, &bias, &loraA, &loraB;
};

Tensor product(const Tensor &a, const Weights &w, Tensor *low = nullptr)
{
    Tensor y = linear(a, w.weight, w.bias);
    if (!w.loraA.defined())
        return y;
    const Tensor down = linear(a, w.loraA, {});
    const Tensor added = linear(down, w.loraB, {});
    add_(y, added);
    if (low)
        *low = down;
    return y;
}

/// One call of the node: y = [x +] dropout(projection of [before](z)).
struct Call
{
    double dropout = 0.0;
    bool noOutput = false;
    const Rebuild *before = nullptr;
};

Tensor compute(const Tensor &x, const Tensor &a, const Weights &w, const Call &call, CustomNode &node)
{
    Tensor low;
    Tensor y = product(a, w, &low);
    if (low.defined())
        node.keep("low", low);
    if (call.dropout > 0) {
        const Tensor mask = dropoutMask(y);
        mulInPlace(y, mask);
        scaleInPlace(y);
        node.keep("mask", mask);
    }
    if (x.defined())
        addInPlace(y, x);
    return y;
}

Tensor phantom(const Tensor &x, const Tensor &z, const Weights &w, const Call &call, CustomNode &node)
{
    if (call.dropout > 0)
        node.keep("mask", dropoutMask(x));
    if (w.loraA.defined())
        node.keep("low", linear(call.before ? (*call.before)(z) : z, w.loraA, {}));
    return placeholder(x);
}

struct Facts
{
    bool residual = false;
    bool wantsInput = false;
    bool wantsWeight = false;
    bool wantsBias = false;
    Shape inputShape;
};

struct AdapterGradients
{
    Tensor da, db, du;
};

AdapterGradients adapterGradients(CustomNode &node, const Tensor &d, const Tensor &a)
{
    if (!node.saved()[1].defined())
        return {};
    AdapterGradients result;
    const Tensor low = node.take("low");
    result.db = weightGradient(d, rows(low));
    result.du = mmRaw(d, node.saved()[2]);
    result.da = weightGradient(result.du, rows(a));
    return result;
}

Tensors projectionBackward(CustomNode &node, Tensors gradients, const Facts &facts, const RebuildPlan &plan)
{
    const Tensors &weights = node.saved();
    Tensor dy = std::move(gradients[0]);
    Tensor d = node.has("mask") ? nativeDropoutBackward(dy, node.take("mask")) : dy;
    if (!facts.residual)
        dy.reset();
    d = rows(d);
    SavedGraph graph;
    Tensor a;
    if (node.has("z")) {
        a = node.take("z");
        if (plan.run)
            a = plan.again(a, graph);
    }
    const Shape shape = a.defined() ? a.sizes() : facts.inputShape;
    const Tensor db = facts.wantsBias ? sumRows(d) : Tensor();
    const Tensor dw = facts.wantsWeight ? weightGradient(d, rows(a)) : Tensor();
    AdapterGradients adapter = adapterGradients(node, d, a);
    a.reset();
    Tensor da;
    if (facts.wantsInput) {
        da = mmRaw(d, weights[0]);
        if (adapter.du.defined()) {
            const Tensor more = mmRaw(adapter.du, weights[1]);
            addInPlace(da, more);
        }
        da = reshapeRaw(da, shape);
    }
    d.reset();
    if (plan.run)
        da = RebuildPlan::backThrough(std::move(graph), std::move(da));
    return {dy, da, dw, db, adapter.da, adapter.db};
}

Tensor apply(const Tensor &x, const Tensor &z, const ProjectionPart &projection, const Call &call)
{
    // Arguments are cast from the last to the first.
    const Tensor loraB = matching(projection.loraB, z);
    const Tensor loraA = matching(projection.loraA, z);
    const Tensor bias = matching(projection.bias, z);
    const Tensor weight = matching(projection.weight, z);
    const Weights w{weight, bias, loraA, loraB};
    const Facts facts{x.defined(), z.requiresGrad() || call.before != nullptr, weight.requiresGrad(),
                      bias.defined() && bias.requiresGrad(), z.sizes()};
    const RebuildPlan plan = call.before ? RebuildPlan::of(*call.before, z) : RebuildPlan();
    const auto forward = [&](CustomNode &node) {
        Tensor y = call.noOutput ? phantom(x, z, w, call, node)
                                 : compute(x, call.before ? (*call.before)(z) : z, w, call, node);
        if (call.before || weight.requiresGrad() || loraA.defined())
            node.keep("z", z);
        node.setSaved({weight, loraA, loraB});
        return y;
    };
    return applyCustom(z.tape(), {&x, &z, &weight, &bias, &loraA, &loraB}, forward,
                       [facts, plan](CustomNode &node, Tensors gradients) {
                           return projectionBackward(node, std::move(gradients), facts, plan);
                       });
}

} // namespace

Tensor ProjectionPart::anyTrained() const
{
    for (const Tensor *tensor : {&weight, &bias, &loraA})
        if (tensor->defined() && tensor->requiresGrad())
            return *tensor;
    return {};
}

Tensor matching(const Tensor &weight, const Tensor &x)
{
    return weight.defined() ? cast(weight, x.type()) : weight;
}

Tensor project(const Tensor &a, const ProjectionPart &projection)
{
    const Tensor loraB = matching(projection.loraB, a);
    const Tensor loraA = matching(projection.loraA, a);
    const Tensor bias = matching(projection.bias, a);
    const Tensor weight = matching(projection.weight, a);
    return product(a, {weight, bias, loraA, loraB});
}

Tensor projectRebuilt(const Tensor &z, const ProjectionPart &projection, const Rebuild &before)
{
    if (!z.tape().gradMode)
        return project(before(z), projection);
    return apply({}, z, projection, {0.0, false, &before});
}

Tensor residualTail(const Tensor &x, Tensor z, const TailPart &tail, bool noOutput, const Rebuild &before)
{
    if (x.tape().gradMode)
        return apply(x, z, tail.projection, {tail.dropout, noOutput, before ? &before : nullptr});
    if (before)
        z = before(z);
    Tensor y = project(z, tail.projection);
    z.reset();
    if (tail.dropout > 0) {
        mulInPlace(y, dropoutMask(y));
        scaleInPlace(y);
    }
    addInPlace(y, x);
    return y;
}

Tensor dropoutMask(const Tensor &like)
{
    return Tensor::make(like.tape(), like.sizes(), Element::boolean);
}

/// The CPU has a native operator; elsewhere mask, product and factor stand alone.
Tensor dropout(const Tensor &x, double p)
{
    if (p <= 0)
        return x;
    if (x.tape().isCpu())
        return nativeDropout(x);
    const Tensor mask = dropoutMask(x);
    return mulScalar(mul(x, mask));
}

Tensor placeholder(const Tensor &like)
{
    const ModeScope outside(like.tape().permanent, true);
    return Tensor::makeStrided(like.tape(), like.sizes(), Shape(like.dim(), 0), like.type());
}

Tensor normalise(const Tensor &x, const NormPart &norm)
{
    if (!norm.exists())
        return x;
    const Tensor weight = matching(norm.weight, x);
    if (norm.kind == NormKind::layerNorm)
        return layerNorm(x, weight, matching(norm.bias, x), norm.size);
    const Tensor input = x.tape().gradMode ? alias(x) : x;
    if (norm.unitOffset)
        return rmsNorm(input, addScalar(weight));
    return rmsNorm(input, weight);
}

RebuildPlan RebuildPlan::of(const Rebuild &run, const Tensor &input)
{
    return {run, input.requiresGrad()};
}

Tensor RebuildPlan::again(const Tensor &input, SavedGraph &graph) const
{
    const ModeScope rebuild(input.tape().rebuilding, true);
    return forwardSave(run, input, takesGradient, graph);
}

Tensor RebuildPlan::backThrough(SavedGraph &&graph, Tensor &&gradient)
{
    if (!graph.isRecorded())
        return {};
    return backward(std::move(graph), std::move(gradient));
}

Tensor rebuilt(const Tensor &z, const Tensor &anchor, const Rebuild &run)
{
    const RebuildPlan plan = RebuildPlan::of(run, z);
    const auto forward = [&](CustomNode &node) {
        node.keep("z", z);
        return run(z);
    };
    return applyCustom(z.tape(), {&z, &anchor}, forward, [plan](CustomNode &node, Tensors gradients) {
        Tensor kept = node.take("z");
        Tensor dy = std::move(gradients[0]);
        SavedGraph graph;
        static_cast<void>(plan.again(kept, graph));
        kept.reset();
        Tensor dz = RebuildPlan::backThrough(std::move(graph), std::move(dy));
        return Tensors{dz, Tensor()};
    });
}

} // namespace remat::core::formula
