// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

namespace remat::gpu {

/// A linear map of a stage: weights as they are stored, possibly with a low-rank adapter beside them. Undefined tensors are
/// absent. Owned by the parameter store; this only refers to them.
struct Projection
{
    at::Tensor weight;
    at::Tensor bias;
    at::Tensor loraA; // [rank, in]
    at::Tensor loraB; // [out, rank]

    [[nodiscard]] bool hasAdapter() const { return loraA.defined(); }
    /// Some tensor of it that is trained; undefined where none is.
    [[nodiscard]] at::Tensor anyTrained() const;
};

/// Permanent tensors of a device that nodes need: see placeholder() and backward().
struct Permanent
{
    at::Tensor cell;
    at::Tensor tick;
};

/// The end of both halves of a block: y = x + dropout(projection of a).
struct Tail
{
    Projection projection;
    double dropout = 0.0;
    Permanent permanent;
};

/// A piece of a stage that is run again in the backward instead of keeping what it saved; refers to things that outlive
/// the step. Must give the same result each time.
using Rebuild = std::function<at::Tensor(const at::Tensor &)>;

/// `weight` in the type of `x`: itself, or a copy that counts as a cast copy. Undefined stays undefined.
[[nodiscard]] at::Tensor matching(const at::Tensor &weight, const at::Tensor &x);

/// a W^T + b, and the adapter's product; native operators.
[[nodiscard]] at::Tensor project(const at::Tensor &a, const Projection &projection);

/// The same for a = before(z), keeping z and not a: the backward runs `before` again. Without grad mode nothing is kept.
[[nodiscard]] at::Tensor projectRebuilt(const at::Tensor &z, const Projection &projection, const Permanent &permanent,
                                        const Rebuild &before);

/// x + dropout(projection of a), a = before(z) or z itself where there is no `before`. With grad mode on a custom node
/// that lets go of a and the mask midway in its backward, and skips the product where `noOutput`. Bit-equal to the
/// native operators.
[[nodiscard]] at::Tensor residualTail(const at::Tensor &x, at::Tensor z, const Tail &tail, bool noOutput,
                                      const Rebuild &before = {});

/// A mask of kept elements (true with probability 1 - p), drawn in the same order as native_dropout draws it.
[[nodiscard]] at::Tensor dropoutMask(const at::Tensor &like, double p);

/// Dropout as a native operator with a one-byte mask, the same draw on every path of a device.
[[nodiscard]] at::Tensor dropout(const at::Tensor &x, double p);

/// A tensor of the right shape and type without memory of that size: it carries a graph whose output nobody reads.
/// `cell` is any permanent tensor on the device.
[[nodiscard]] at::Tensor placeholder(at::IntArrayRef sizes, const at::Tensor &cell, at::ScalarType type);

} // namespace remat::gpu
