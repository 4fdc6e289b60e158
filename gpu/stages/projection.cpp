// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/projection.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/sum.h>

#include <tuple>

#include "stages/linear_parts.h"
#include "stages/rebuilt.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

namespace ta = torch::autograd;

namespace {

using Optional = std::optional<at::Tensor>;

/// `low`, where it is asked for, gets the adapter's first product, which its gradient needs.
at::Tensor product(const at::Tensor &a, const at::Tensor &weight, const Optional &bias, const Optional &loraA,
                   const Optional &loraB, at::Tensor *low = nullptr)
{
    at::Tensor y = at::linear(a, weight, bias);
    if (!loraA)
        return y;
    const at::Tensor down = at::linear(a, *loraA);
    y.add_(at::linear(down, *loraB));
    if (low)
        *low = down;
    return y;
}

/// What one call of the node is about, beside its tensors.
struct NodeCall
{
    double dropout = 0.0;
    bool noOutput = false;
    const Permanent *permanent = nullptr;
    const Rebuild *before = nullptr; // null: z is the projection's input itself
};

/// y = [x +] dropout(projection of [before](z)).
struct ProjectionNode : ta::Function<ProjectionNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const Optional &x, const at::Tensor &z,
                              const at::Tensor &weight, const Optional &bias, const Optional &loraA,
                              const Optional &loraB, const NodeCall *call)
    {
        at::Tensor mask;
        at::Tensor low;
        at::Tensor y;
        if (call->noOutput) {
            y = without(*x, *call, mask);
            if (loraA)
                low = at::linear(call->before ? (*call->before)(z) : z, *loraA);
        } else {
            y = compute(x, call->before ? (*call->before)(z) : z, {weight, bias, loraA, loraB}, *call, {mask, low});
        }
        auto &saved = context->saved_data;
        if (call->before)
            saved["plan"] = RebuildPlan::make(*call->before, z, call->permanent->tick, false);
        // Not save_for_backward: that holds until the end of the backward.
        if (call->before || weight.requires_grad() || loraA)
            saved["z"] = z;
        if (mask.defined())
            saved["mask"] = mask;
        if (low.defined())
            saved["low"] = low;
        saved["p"] = call->dropout;
        saved["residual"] = x.has_value();
        saved["shape"] = z.sizes().vec();
        saved["wantsInput"] = z.requires_grad() || call->before != nullptr;
        saved["wantsWeight"] = weight.requires_grad();
        saved["wantsBias"] = bias && bias->requires_grad();
        context->save_for_backward({weight, loraA.value_or(at::Tensor()), loraB.value_or(at::Tensor())});
        return y;
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const auto wants = [&](const char *what) { return context->saved_data[what].toBool(); };
        const auto weights = context->get_saved_variables();
        const double p = context->saved_data["p"].toDouble();
        const bool residual = context->saved_data["residual"].toBool();
        at::Tensor dy = std::move(gradients[0]);
        at::Tensor d = p > 0 ? at::native_dropout_backward(dy, takeSaved(context, "mask"), 1.0 / (1.0 - p)) : dy;
        if (!residual)
            dy.reset();
        d = rows(d);
        c10::IValue plan;
        SavedStage graph;
        at::Tensor a = input(context, plan, graph);
        auto shape = a.defined() ? a.sizes().vec() : context->saved_data["shape"].toIntVector();
        const at::Tensor db = wants("wantsBias") ? d.sum(0) : at::Tensor();
        const at::Tensor dw = wants("wantsWeight") ? weightGradient(d, rows(a)) : at::Tensor();
        Adapter adapter = adapterGradients(context, d, a, weights);
        a.reset(); // before da exists
        at::Tensor da;
        if (wants("wantsInput")) {
            da = d.mm(weights[0]);
            if (adapter.du.defined())
                da.add_(adapter.du.mm(weights[1]));
            da = da.view(shape);
        }
        d.reset();
        if (!plan.isNone())
            da = RebuildPlan::of(plan).backThrough(std::move(graph), std::move(da));
        return {dy, da, dw, db, adapter.da, adapter.db, at::Tensor()};
    }

private:
    struct Weights
    {
        const at::Tensor &weight;
        const Optional &bias, &loraA, &loraB;
    };
    /// What a call keeps beside its input.
    struct Kept
    {
        at::Tensor &mask, &low;
    };
    struct Adapter
    {
        at::Tensor da, db, du;
    };

    /// linear, dropout and residual written into one buffer.
    static at::Tensor compute(const Optional &x, const at::Tensor &a, const Weights &weights, const NodeCall &call,
                              Kept kept)
    {
        at::Tensor y = product(a, weights.weight, weights.bias, weights.loraA, weights.loraB, &kept.low);
        if (call.dropout > 0) {
            kept.mask = dropoutMask(y, call.dropout);
            y.mul_(kept.mask).mul_(1.0 / (1.0 - call.dropout));
        }
        if (x)
            y.add_(*x);
        return y;
    }

    static at::Tensor without(const at::Tensor &x, const NodeCall &call, at::Tensor &mask)
    {
        if (call.dropout > 0)
            mask = dropoutMask(x, call.dropout);
        return placeholder(x.sizes(), call.permanent->cell, x.scalar_type());
    }

    /// The projection's input: kept, or made again with its graph; undefined where nothing needs it.
    static at::Tensor input(ta::AutogradContext *context, c10::IValue &plan, SavedStage &graph)
    {
        if (context->saved_data.find("z") == context->saved_data.end())
            return {};
        const at::Tensor z = takeSaved(context, "z");
        const auto found = context->saved_data.find("plan");
        if (found == context->saved_data.end())
            return z;
        plan = found->second;
        return RebuildPlan::of(plan).again(z, graph);
    }

    static Adapter adapterGradients(ta::AutogradContext *context, const at::Tensor &d, const at::Tensor &a,
                                    const ta::variable_list &weights)
    {
        if (!weights[1].defined())
            return {};
        Adapter adapter;
        adapter.db = weightGradient(d, rows(takeSaved(context, "low")));
        adapter.du = d.mm(weights[2]);
        adapter.da = weightGradient(adapter.du, rows(a));
        return adapter;
    }
};

at::Tensor apply(const Optional &x, const at::Tensor &z, const Projection &projection, const NodeCall &call)
{
    const auto given = [&](const at::Tensor &weight) { return optional(matching(weight, z)); };
    return ProjectionNode::apply(x, z, matching(projection.weight, z), given(projection.bias), given(projection.loraA),
                                 given(projection.loraB), &call);
}

} // namespace

at::Tensor Projection::anyTrained() const
{
    for (const at::Tensor *tensor : {&weight, &bias, &loraA})
        if (tensor->defined() && tensor->requires_grad())
            return *tensor;
    return {};
}

at::Tensor matching(const at::Tensor &weight, const at::Tensor &x)
{
    if (!weight.defined() || weight.scalar_type() == x.scalar_type())
        return weight;
    const CategoryScope cast(core::Category::castCopy);
    return weight.to(x.scalar_type());
}

at::Tensor project(const at::Tensor &a, const Projection &projection)
{
    const auto given = [&](const at::Tensor &weight) { return optional(matching(weight, a)); };
    return product(a, matching(projection.weight, a), given(projection.bias), given(projection.loraA),
                   given(projection.loraB));
}

at::Tensor projectRebuilt(const at::Tensor &z, const Projection &projection, const Permanent &permanent,
                          const Rebuild &before)
{
    if (!at::GradMode::is_enabled())
        return project(before(z), projection);
    return apply(std::nullopt, z, projection, {0.0, false, &permanent, &before});
}

at::Tensor residualTail(const at::Tensor &x, at::Tensor z, const Tail &tail, bool noOutput, const Rebuild &before)
{
    if (at::GradMode::is_enabled())
        return apply(x, z, tail.projection, {tail.dropout, noOutput, &tail.permanent, before ? &before : nullptr});
    if (before)
        z = before(z);
    at::Tensor y = project(z, tail.projection);
    z.reset();
    if (tail.dropout > 0)
        y.mul_(dropoutMask(y, tail.dropout)).mul_(1.0 / (1.0 - tail.dropout));
    y.add_(x);
    return y;
}

at::Tensor dropoutMask(const at::Tensor &like, double p)
{
    return at::empty_like(like, like.options().dtype(at::kBool), at::MemoryFormat::Contiguous).bernoulli_(1.0 - p);
}

at::Tensor dropout(const at::Tensor &x, double p)
{
    if (p <= 0)
        return x;
    if (x.device().is_cpu())
        return std::get<0>(at::native_dropout(x, p, true));
    // The fused kernel of other devices draws differently from a mask; one form everywhere keeps runs comparable.
    return x.mul(dropoutMask(x, p)).mul(1.0 / (1.0 - p));
}

at::Tensor placeholder(at::IntArrayRef sizes, const at::Tensor &cell, at::ScalarType type)
{
    const std::vector<std::int64_t> strides(sizes.size(), 0);
    return at::from_blob(cell.data_ptr(), sizes, strides, cell.options().dtype(type));
}

} // namespace remat::gpu
