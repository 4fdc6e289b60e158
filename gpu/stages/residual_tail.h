// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <ATen/core/Tensor.h>

namespace remat::gpu {

/// A mask of kept elements (true with probability 1 - p), drawn in the same order as native_dropout draws it.
[[nodiscard]] at::Tensor dropoutMask(const at::Tensor &like, double p);

/// A tensor of the right shape and type without memory of that size: it carries a graph whose output nobody reads.
/// `cell` is any permanent tensor on the device.
[[nodiscard]] at::Tensor placeholder(at::IntArrayRef sizes, const at::Tensor &cell, at::ScalarType type);

/// The end of both halves of a block: y = x + dropout(linear(a, weight, bias)).
struct Tail
{
    at::Tensor weight;
    at::Tensor bias; // may be undefined
    double dropout = 0.0;
    at::Tensor cell; // see placeholder()
};

/// With grad mode on a custom node that lets go of `a` and the mask midway in its backward, and skips the product where
/// `noOutput`. Bit-equal to the native operators.
[[nodiscard]] at::Tensor residualTail(const at::Tensor &x, at::Tensor a, const Tail &tail, bool noOutput);

} // namespace remat::gpu
