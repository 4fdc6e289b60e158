// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/feed_forward.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/sum.h>

#include <utility>

#include "stages/activation.h"
#include "stages/linear_parts.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

namespace ta = torch::autograd;
using core::Activation;

namespace {

at::Tensor gateOf(const at::Tensor &h)
{
    return h.narrow(-1, 0, h.size(-1) / 2);
}
at::Tensor upOf(const at::Tensor &h)
{
    return h.narrow(-1, h.size(-1) / 2, h.size(-1) / 2);
}

at::Tensor product(const at::Tensor &h, Activation kind, bool gated)
{
    return gated ? activate(kind, gateOf(h)).mul_(upOf(h)) : activate(kind, h);
}

/// Gradient of the linear's output from that of the product, in the steps of the native graph.
at::Tensor productBackward(at::Tensor da, const at::Tensor &h, Activation kind, bool gated)
{
    if (!gated) {
        activationBackwardInPlace(kind, da, h);
        return da;
    }
    at::Tensor dh = at::empty_like(h);
    at::Tensor dGate = gateOf(dh);
    at::Tensor dUp = upOf(dh);
    {
        const RebuildScope rebuild;
        const PartScope part(StagePart::feedForward);
        at::mul_out(dUp, da, activate(kind, gateOf(h)));
    }
    da.mul_(upOf(h));
    activationBackwardInPlace(kind, da, gateOf(h));
    dGate.copy_(da);
    return dh;
}

struct LeanFeedForward : ta::Function<LeanFeedForward>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &x, const at::Tensor &n,
                              const at::Tensor &w1, const std::optional<at::Tensor> &b1, const at::Tensor &w2,
                              const std::optional<at::Tensor> &b2, const FeedForward *ff, bool noOutput)
    {
        const double p = ff->down.dropout;
        at::Tensor h = at::linear(n, w1, b1);
        at::Tensor mask;
        at::Tensor y;
        if (noOutput) {
            if (p > 0)
                mask = dropoutMask(x, p);
            y = placeholder(x.sizes(), ff->down.permanent.cell, x.scalar_type());
        } else {
            y = at::linear(product(h, ff->activation, ff->gated), w2, b2);
            if (p > 0) {
                mask = dropoutMask(y, p);
                y.mul_(mask).mul_(1.0 / (1.0 - p));
            }
            y.add_(x);
        }
        keep(context, n, h, mask, ff);
        context->save_for_backward({w1, w2});
        return y;
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const double p = context->saved_data["p"].toDouble();
        const auto kind = static_cast<Activation>(context->saved_data["activation"].toInt());
        const bool gated = context->saved_data["gated"].toBool();
        const auto weights = context->get_saved_variables();
        at::Tensor dy = std::move(gradients[0]);
        at::Tensor d = p > 0 ? at::native_dropout_backward(dy, takeSaved(context, "mask"), 1.0 / (1.0 - p)) : dy;
        d = rows(d);
        at::Tensor h = takeSaved(context, "h");
        const at::Tensor db2 = context->saved_data["b2"].toBool() ? d.sum(0) : at::Tensor();
        at::Tensor a = rebuild(h, kind, gated);
        const at::Tensor dw2 = weightGradient(d, rows(a));
        a.reset();
        at::Tensor da = d.mm(weights[1]);
        d.reset();
        h = rows(h);
        at::Tensor dh = productBackward(std::move(da), h, kind, gated);
        h.reset();
        at::Tensor n = takeSaved(context, "n");
        const auto shape = n.sizes().vec();
        const at::Tensor db1 = context->saved_data["b1"].toBool() ? dh.sum(0) : at::Tensor();
        const at::Tensor dw1 = weightGradient(dh, rows(n));
        n.reset();
        const at::Tensor dn = dh.mm(weights[0]).view(shape);
        return {dy, dn, dw1, db1, dw2, db2, at::Tensor(), at::Tensor()};
    }

private:
    static void keep(ta::AutogradContext *context, const at::Tensor &n, const at::Tensor &h, const at::Tensor &mask,
                     const FeedForward *ff)
    {
        auto &saved = context->saved_data;
        saved["n"] = n;
        saved["h"] = h;
        if (mask.defined())
            saved["mask"] = mask;
        saved["p"] = ff->down.dropout;
        saved["activation"] = static_cast<std::int64_t>(ff->activation);
        saved["gated"] = ff->gated;
        saved["b1"] = ff->up.bias.defined();
        saved["b2"] = ff->down.projection.bias.defined();
    }

    static at::Tensor rebuild(const at::Tensor &h, Activation kind, bool gated)
    {
        const RebuildScope scope;
        const PartScope part(StagePart::feedForward);
        return product(h, kind, gated);
    }
};

} // namespace

at::Tensor activated(at::Tensor h, Activation kind, bool gated)
{
    if (!at::GradMode::is_enabled()) {
        if (gated)
            return product(h, kind, true);
        if (h.use_count() > 1) // a node keeps h for its backward
            return activate(kind, h);
        if (!h.storage().unique()) // somebody keeps it: a node that rebuilds this, or a view
            return activate(kind, h);
        activateInPlace(kind, h);
        return h;
    }
    if (!gated)
        return activate(kind, std::exchange(h, {}));
    auto halves = std::exchange(h, {}).chunk(2, -1); // one split: its backward joins the gradients once
    return at::mul(activate(kind, halves[0]), halves[1]);
}

bool isLeanKnown(const FeedForward &ff)
{
    return !ff.up.hasAdapter() && !ff.down.projection.hasAdapter() && hasBackwardInPlace(ff.activation);
}

at::Tensor leanFeedForward(const at::Tensor &x, const at::Tensor &n, const FeedForward &ff, bool noOutput)
{
    const auto given = [&](const at::Tensor &bias) { return optional(matching(bias, x)); };
    return LeanFeedForward::apply(x, n, matching(ff.up.weight, x), given(ff.up.bias),
                                  matching(ff.down.projection.weight, x), given(ff.down.projection.bias), &ff,
                                  noOutput);
}

} // namespace remat::gpu
