// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "config/model_config.h"
#include "stages/projection.h"

namespace remat::gpu {

/// A dense feed-forward half after its norm: down(activation(up(n))), gated or not.
struct FeedForward
{
    Projection up; // gated: the first half of its output is the gate
    core::Activation activation = core::Activation::gelu;
    bool gated = false;
    Tail down;
};

/// activation(h), or activation(gate) * up for the two halves of h. With grad mode on by native operators; without, the
/// buffer of h is reused where nobody else holds it.
[[nodiscard]] at::Tensor activated(at::Tensor h, core::Activation kind, bool gated);

/// True where leanFeedForward knows the half: dense weights without adapters, an activation with a backward in place.
[[nodiscard]] bool isLeanKnown(const FeedForward &ff);

/// x + dropout(down(activation(up(n)))), keeping n and the first product and rebuilding the activation in the backward
/// (option lean_mlp), leaner than residualTail with a rebuilt part. Only with grad mode on. Bit-equal to native operators.
[[nodiscard]] at::Tensor leanFeedForward(const at::Tensor &x, const at::Tensor &n, const FeedForward &ff,
                                         bool noOutput);

} // namespace remat::gpu
