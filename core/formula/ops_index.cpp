// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/ops.h"

namespace remat::core::formula {

namespace {

Tensor zeros(const Tensor &like, const Shape &sizes)
{
    Tensor all = Tensor::make(like.tape(), sizes, like.type());
    like.tape().count(static_cast<double>(like.numel()), static_cast<double>(all.bytes() + 2 * like.bytes()));
    return all;
}

Tensor picked(const Tensor &x, Shape sizes)
{
    Tensor out = Tensor::make(x.tape(), std::move(sizes), x.type());
    x.tape().count(0, static_cast<double>(2 * out.bytes()));
    return out;
}

} // namespace

/// Rows of a table; the gradient is as large as the table.
Tensor embedding(const Tensor &table, const Tensor &indices)
{
    Shape sizes = indices.sizes();
    sizes.push_back(table.size(1));
    Tensor out = picked(table, sizes);
    record(out, {&table}, {indices}, [shape = table.sizes()](const NativeNode::Call &call) {
        const Tensor whole = zeros(call.gradients[0], shape);
        const Tensor dense = contiguous(call.gradients[0]);
        return Tensors{whole};
    });
    return out;
}

Tensor gatherLast(const Tensor &x, const Tensor &index)
{
    Tensor out = picked(x, index.sizes());
    record(out, {&x}, {index},
           [shape = x.sizes()](const NativeNode::Call &call) { return Tensors{zeros(call.gradients[0], shape)}; });
    return out;
}

Tensor indexRowsRaw(const Tensor &x, const Tensor &index)
{
    return picked(x, {index.numel(), x.size(1)});
}

Tensor indexRows(const Tensor &x, const Tensor &index)
{
    Tensor out = indexRowsRaw(x, index);
    record(out, {&x}, {index},
           [shape = x.sizes()](const NativeNode::Call &call) { return Tensors{zeros(call.gradients[0], shape)}; });
    return out;
}

/// log_softmax and the mean of the targets' entries.
Tensor crossEntropy(const Tensor &logits, const Tensor &targets)
{
    Tape &tape = logits.tape();
    Tensor logs = Tensor::make(tape, logits.sizes(), logits.type());
    tape.count(5.0 * static_cast<double>(logits.numel()), 2.0 * static_cast<double>(logits.bytes()));
    record(logs, {&logits}, {logs.detach()}, [](const NativeNode::Call &call) {
        const Tensor &gradient = call.gradients[0];
        gradient.tape().count(4.0 * static_cast<double>(gradient.numel()), 3.0 * static_cast<double>(gradient.bytes()));
        return Tensors{emptyLike(gradient)};
    });
    Tensor loss = Tensor::make(tape, {}, logits.type());
    const Tensor totalWeight = Tensor::make(tape, {}, logits.type());
    record(loss, {&logs}, {logs, targets, totalWeight},
           [](const NativeNode::Call &call) { return Tensors{zeros(call.saved[0], call.saved[0].sizes())}; });
    return loss;
}

} // namespace remat::core::formula
