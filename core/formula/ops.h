// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "formula/graph.h"

namespace remat::core::formula {

/// LibTorch's operators without values, each with the blocks that its CPU kernel and its derivative take, in their order.
/// Names ending in Raw record no graph, like what runs inside a kernel or a backward.

// Views. What they record reads no data, but a gradient may have to be copied or spread.
[[nodiscard]] Tensor view(const Tensor &x, Shape sizes);
[[nodiscard]] Tensor reshape(const Tensor &x, Shape sizes); // copies where the strides do not allow a view
[[nodiscard]] Tensor unsafeView(const Tensor &x, Shape sizes);
[[nodiscard]] Tensor transpose(const Tensor &x, int a, int b);
[[nodiscard]] Tensor narrow(const Tensor &x, int dimension, std::int64_t start, std::int64_t length);
[[nodiscard]] Tensor select(const Tensor &x, int dimension);
[[nodiscard]] Tensors split(const Tensor &x, const Shape &sizes); // along the last dimension
[[nodiscard]] Tensor expand(const Tensor &x, Shape sizes);
[[nodiscard]] Tensor alias(const Tensor &x);
[[nodiscard]] Tensor permute(const Tensor &x, const std::vector<std::size_t> &order);
[[nodiscard]] Tensor clone(const Tensor &x);
[[nodiscard]] Tensor cast(const Tensor &x, Element type); // x itself where it has the type
[[nodiscard]] Tensor cat(const Tensors &parts, int dimension);
[[nodiscard]] Tensor repeatInterleave(const Tensor &x, std::int64_t times, int dimension);

[[nodiscard]] Tensor emptyLike(const Tensor &x);
[[nodiscard]] Tensor emptyLike(const Tensor &x, Element type);
[[nodiscard]] Tensor contiguousCopy(const Tensor &x);
[[nodiscard]] Tensor contiguous(const Tensor &x);
[[nodiscard]] Tensor castRaw(const Tensor &x, Element type);
[[nodiscard]] Tensor reshapeRaw(const Tensor &x, const Shape &sizes);
[[nodiscard]] Tensor transposeRaw(const Tensor &x, int a, int b);
[[nodiscard]] Tensor narrowRaw(const Tensor &x, int dimension, std::int64_t length);

// Pointwise. A plain number becomes a scalar tensor that is cast: a few bytes, but bytes.
[[nodiscard]] Tensor mul(const Tensor &a, const Tensor &b);
[[nodiscard]] Tensor mulScalar(const Tensor &a);
[[nodiscard]] Tensor add(const Tensor &a, const Tensor &b);
[[nodiscard]] Tensor addScalar(const Tensor &a);
[[nodiscard]] Tensor div(const Tensor &a, const Tensor &b);
[[nodiscard]] Tensor divScalar(const Tensor &a);
[[nodiscard]] Tensor neg(const Tensor &a);
[[nodiscard]] Tensor clampBetween(const Tensor &a);
void add_(Tensor &a, const Tensor &b);
void mul_(Tensor &a, const Tensor &b);
void scale_(Tensor &a); // mul_ or div_ with a plain number
[[nodiscard]] Tensor pointwiseRaw(const Tensor &a, const Tensor &b);
[[nodiscard]] Tensor scaledRaw(const Tensor &a); // a * number
[[nodiscard]] Tensor addedRaw(const Tensor &a, const Tensor &b);
void addInPlace(Tensor &a, const Tensor &b);
void mulInPlace(const Tensor &a, const Tensor &b);
void scaleInPlace(const Tensor &a);
/// Blocks of a plain number that meets a tensor of `type`: the number, and its cast.
class NumberScope
{
public:
    NumberScope(Tape &tape, Element type, Element number = Element::fp64);

private:
    Tensor m_number, m_cast;
};

// Reductions.
[[nodiscard]] Tensor summedTo(const Tensor &x, const Shape &sizes);
[[nodiscard]] Tensor sumRows(const Tensor &x); // over the first of two dimensions
[[nodiscard]] Tensor sumLast(const Tensor &x); // over the last dimension, which stays with size 1

// Matrices.
[[nodiscard]] Tensor mmRaw(const Tensor &a, const Tensor &b);
[[nodiscard]] Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias);
[[nodiscard]] Tensor matmul(const Tensor &a, const Tensor &b); // batches of matrices
[[nodiscard]] Tensor rows(const Tensor &x);
/// d^T a
[[nodiscard]] Tensor weightGradient(const Tensor &d, const Tensor &a);

// Activations, norms, dropout, softmax.
enum class Pointwise { gelu, silu, relu, tanh, sigmoid, square };
[[nodiscard]] Tensor activation(const Tensor &x, Pointwise kind);
[[nodiscard]] Tensor layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias, std::int64_t size);
[[nodiscard]] Tensor rmsNorm(const Tensor &x, const Tensor &weight);
[[nodiscard]] Tensor nativeDropout(const Tensor &x);
[[nodiscard]] Tensor nativeDropoutBackward(const Tensor &gradient, const Tensor &mask);
[[nodiscard]] Tensor noiseDropout(const Tensor &x); // at::dropout on the CPU: a noise tensor of the type of x
[[nodiscard]] Tensor softmax(const Tensor &x);
[[nodiscard]] Tensor safeSoftmax(const Tensor &x);

// Attention kernels.
struct AttentionCall
{
    Tensor mask;
    bool causal = false;
    bool grouped = false;
    double dropout = 0.0;
};
struct FlashResult
{
    Tensor out, logSumExp;
};
[[nodiscard]] FlashResult flashForwardRaw(const Tensor &q, const Tensor &k, const AttentionCall &call);
[[nodiscard]] Tensors flashBackwardRaw(const Tensor &dout, const Tensors &qkv, const AttentionCall &call);
[[nodiscard]] Tensor flashAttention(const Tensor &q, const Tensor &k, const Tensor &v, const AttentionCall &call);
[[nodiscard]] Tensor mathAttention(const Tensor &q, const Tensor &k, const Tensor &v, const AttentionCall &call);

// Tables and losses.
[[nodiscard]] Tensor embedding(const Tensor &table, const Tensor &indices);
[[nodiscard]] Tensor gatherLast(const Tensor &x, const Tensor &index);
[[nodiscard]] Tensor indexRows(const Tensor &x, const Tensor &index);
[[nodiscard]] Tensor indexRowsRaw(const Tensor &x, const Tensor &index);
[[nodiscard]] Tensor crossEntropy(const Tensor &logits, const Tensor &targets);

/// Strides that TensorIterator gives to the result of such inputs over `sizes`.
[[nodiscard]] Shape iteratorStrides(const Shape &sizes, const Tensors &inputs);
/// Writing into a view changes its base's history; see graph functions.
void recordInPlace(Tensor &a, const std::vector<const Tensor *> &others, Tensors saved, NativeNode::Work work);

} // namespace remat::core::formula
