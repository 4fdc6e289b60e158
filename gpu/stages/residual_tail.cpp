// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/residual_tail.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/sum.h>

#include "stages/linear_parts.h"

namespace remat::gpu {

namespace ta = torch::autograd;

namespace {

/// linear, dropout and residual written into one buffer; the mask comes back where there is dropout.
at::Tensor compute(const at::Tensor &x, const at::Tensor &a, const Tail &tail, at::Tensor &mask)
{
    at::Tensor y = at::linear(a, tail.weight, optionalBias(tail.bias));
    if (tail.dropout > 0) {
        mask = dropoutMask(y, tail.dropout);
        y.mul_(mask).mul_(1.0 / (1.0 - tail.dropout));
    }
    y.add_(x);
    return y;
}

struct ResidualTail : ta::Function<ResidualTail>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &x, const at::Tensor &a,
                              const at::Tensor &weight, const std::optional<at::Tensor> &bias, const at::Tensor &cell,
                              double p, bool noOutput)
    {
        at::Tensor mask;
        at::Tensor y;
        if (noOutput) {
            if (p > 0)
                mask = dropoutMask(x, p);
            y = placeholder(x.sizes(), cell, x.scalar_type());
        } else {
            y = compute(x, a, {weight, bias.value_or(at::Tensor()), p, cell}, mask);
        }
        context->saved_data["a"] = a; // not save_for_backward: that holds until the end of the backward
        if (p > 0)
            context->saved_data["mask"] = mask;
        context->saved_data["p"] = p;
        context->saved_data["bias"] = bias.has_value();
        context->save_for_backward({weight});
        return y;
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const double p = context->saved_data["p"].toDouble();
        const at::Tensor weight = context->get_saved_variables()[0];
        at::Tensor dy = std::move(gradients[0]);
        at::Tensor d = p > 0 ? at::native_dropout_backward(dy, takeSaved(context, "mask"), 1.0 / (1.0 - p)) : dy;
        d = rows(d);
        at::Tensor a = takeSaved(context, "a");
        const auto shape = a.sizes().vec();
        at::Tensor db = context->saved_data["bias"].toBool() ? d.sum(0) : at::Tensor();
        at::Tensor dw = weightGradient(d, rows(a));
        a.reset(); // before da exists
        at::Tensor da = d.mm(weight).view(shape);
        return {dy, da, dw, db, at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor dropoutMask(const at::Tensor &like, double p)
{
    return at::empty_like(like, like.options().dtype(at::kBool), at::MemoryFormat::Contiguous).bernoulli_(1.0 - p);
}

at::Tensor placeholder(at::IntArrayRef sizes, const at::Tensor &cell, at::ScalarType type)
{
    const std::vector<std::int64_t> strides(sizes.size(), 0);
    return at::from_blob(cell.data_ptr(), sizes, strides, cell.options().dtype(type));
}

at::Tensor residualTail(const at::Tensor &x, at::Tensor a, const Tail &tail, bool noOutput)
{
    if (at::GradMode::is_enabled())
        return ResidualTail::apply(x, a, tail.weight, optionalBias(tail.bias), tail.cell, tail.dropout, noOutput);
    at::Tensor mask;
    return compute(x, a, tail, mask);
}

} // namespace remat::gpu
