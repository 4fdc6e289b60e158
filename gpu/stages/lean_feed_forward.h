// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "config/model_config.h"
#include "stages/residual_tail.h"

namespace remat::gpu {

/// The feed-forward half after its norm: tail(x, activation(linear(n, weight, bias))), gated or not.
struct FeedForward
{
    at::Tensor weight;
    at::Tensor bias; // may be undefined
    core::Activation activation = core::Activation::gelu;
    bool gated = false; // the first half of the linear's output is the gate
    Tail tail;
};

/// Everything is kept by autograd's own nodes (option keep_all); without grad mode the buffers are reused.
[[nodiscard]] at::Tensor feedForward(const at::Tensor &x, at::Tensor n, const FeedForward &ff, bool noOutput);

/// Keeps the normalised input and the first product and rebuilds the activation in the backward (option lean_mlp).
/// Only with grad mode on. Bit-equal to feedForward.
[[nodiscard]] at::Tensor leanFeedForward(const at::Tensor &x, const at::Tensor &n, const FeedForward &ff,
                                         bool noOutput);

} // namespace remat::gpu
