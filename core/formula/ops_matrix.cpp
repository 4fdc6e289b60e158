// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

/// A layout that the matrix kernels take: one stride is 1 and the other one spans a row.
bool isKernelLayout(const Tensor &x)
{
    const std::int64_t m = x.size(-2);
    const std::int64_t n = x.size(-1);
    const std::int64_t rowStride = x.strides()[x.dim() - 2];
    const std::int64_t columnStride = x.strides()[x.dim() - 1];
    return (columnStride == 1 && rowStride >= std::max<std::int64_t>(1, n))
        || (rowStride == 1 && columnStride >= std::max<std::int64_t>(1, m)) || m == 1 || n == 1;
}

void multiply(const Tensor &a, const Tensor &b, const Tensor &out)
{
    Tape &tape = out.tape();
    const Tensor left = isKernelLayout(a) ? Tensor() : contiguousCopy(a);
    const Tensor right = isKernelLayout(b) ? Tensor() : contiguousCopy(b);
    tape.count(2.0 * static_cast<double>(out.numel()) * static_cast<double>(a.size(-1)),
               static_cast<double>(a.bytes() + b.bytes() + out.bytes()));
    if (isReduced(out.type()) && tape.isCpu())
        tape.setApproximate(); // such products take scratch that only the machine knows
}

Tensor transposed(const Tensor &x)
{
    return transposeRaw(x, 0, 1);
}

bool isColumnMajor(const Tensor &x)
{
    return x.strides()[0] == 1 && x.strides()[1] == x.sizes()[0];
}

Tensor firstGradient(const Tensor &gradient, const Tensor &a, const Tensor &b)
{
    return isColumnMajor(a) && !a.isContiguous() ? transposed(mmRaw(b, transposed(gradient)))
                                                 : mmRaw(gradient, transposed(b));
}

Tensor secondGradient(const Tensor &gradient, const Tensor &a, const Tensor &b)
{
    return isColumnMajor(b) ? transposed(mmRaw(transposed(gradient), a)) : mmRaw(transposed(a), gradient);
}

Tensor mm(const Tensor &a, const Tensor &b)
{
    Tensor out = mmRaw(a, b);
    const Tensor shape = a; // strides decide the layout of the gradient
    record(out, {&a, &b}, {b.requiresGrad() ? a : Tensor(), a.requiresGrad() ? b : Tensor()},
           [aShape = a.sizes(), aStrides = a.strides(), bShape = b.sizes(),
            bStrides = b.strides()](const NativeNode::Call &call) {
               const Tensor &gradient = call.gradients[0];
               Tensor db;
               if (call.wants(1))
                   db = secondGradient(gradient, call.saved[0], gradient.seenAs(bShape, bStrides));
               Tensor da;
               if (call.wants(0))
                   da = firstGradient(gradient, gradient.seenAs(aShape, aStrides), call.saved[1]);
               return Tensors{da, db};
           });
    return out;
}

/// bias + a b in one kernel.
Tensor addmm(const Tensor &bias, const Tensor &a, const Tensor &b)
{
    Tensor out = mmRaw(a, b);
    record(out, {&bias, &a, &b}, {b.requiresGrad() ? a : Tensor(), a.requiresGrad() ? b : Tensor()},
           [aShape = a.sizes(), aStrides = a.strides(), bShape = b.sizes(),
            bStrides = b.strides()](const NativeNode::Call &call) {
               const Tensor &gradient = call.gradients[0];
               Tensor da;
               if (call.wants(1))
                   da = firstGradient(gradient, gradient.seenAs(aShape, aStrides), call.saved[1]);
               Tensor db;
               if (call.wants(2))
                   db = secondGradient(gradient, call.saved[0], gradient.seenAs(bShape, bStrides));
               return Tensors{call.wants(0) ? gradient : Tensor(), da, db};
           });
    return out;
}

Tensor bmm(const Tensor &a, const Tensor &b)
{
    Tensor out = mmRaw(a, b);
    record(out, {&a, &b}, {b.requiresGrad() ? a : Tensor(), a.requiresGrad() ? b : Tensor()},
           [](const NativeNode::Call &call) {
               Tensor db;
               if (call.wants(1))
                   db = mmRaw(transposeRaw(call.saved[0], 1, 2), call.gradients[0]);
               Tensor da;
               if (call.wants(0))
                   da = mmRaw(call.gradients[0], transposeRaw(call.saved[1], 1, 2));
               return Tensors{da, db};
           });
    return out;
}

} // namespace

Tensor mmRaw(const Tensor &a, const Tensor &b)
{
    Shape sizes = a.sizes();
    sizes.back() = b.size(-1);
    Tensor out = Tensor::make(a.tape(), sizes, a.type());
    multiply(a, b, out);
    return out;
}

Tensor rows(const Tensor &x)
{
    return reshape(x, {x.numel() / x.size(-1), x.size(-1)});
}

Tensor weightGradient(const Tensor &d, const Tensor &a)
{
    return mmRaw(transposed(d), a);
}

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias)
{
    Shape sizes = x.sizes();
    sizes.back() = weight.size(0);
    if (bias.defined() && x.dim() == 2)
        return addmm(bias, x, transpose(weight, 0, 1));
    if (bias.defined() && x.isContiguous()) {
        const Tensor flat = rows(x);
        return view(addmm(bias, flat, transpose(weight, 0, 1)), sizes);
    }
    const Tensor turned = transpose(weight, 0, 1);
    Tensor y = x.dim() == 2 ? mm(x, turned) : unsafeView(mm(rows(x), turned), sizes);
    if (bias.defined())
        add_(y, bias);
    return y;
}

Tensor matmul(const Tensor &a, const Tensor &b)
{
    Shape sizes = a.sizes();
    sizes.back() = b.size(-1);
    const std::int64_t batches = elements(a.sizes()) / (a.size(-1) * a.size(-2));
    const Tensor left = reshape(a, {batches, a.size(-2), a.size(-1)});
    const Tensor right = reshape(b, {batches, b.size(-2), b.size(-1)});
    return unsafeView(bmm(left, right), sizes);
}

} // namespace remat::core::formula
