// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "stages/block_option.h"
#include "stages/feed_forward.h"

namespace remat::gpu {

/// The mixture of experts of one feed-forward half. Refers to parameters; lives as long as the model.
struct ExpertWeights
{
    core::Experts shape;
    at::Tensor router;   // [experts, width]
    at::Tensor up;       // [experts, 2 or 1 * expert width, width]
    at::Tensor down;     // [experts, width, expert width]
    Projection sharedUp; // one dense expert for every token; undefined where there is none
    Projection sharedDown;
    at::Tensor sharedGate; // [1, width]
    core::Activation activation = core::Activation::silu;
    bool gated = true;
};

/// The router's choice for one micro-batch: [tokens, per token] expert numbers. Made by the first forward and replayed by
/// every recomputation, because scores that are nearly equal may come out in another order the second time.
using RouterChoice = at::Tensor;

/// The branch (without residual) of a mixture for the normalised input `n`, which is kept under every option: router and
/// experts read it. Dropless: every chosen pair of token and expert is computed. `choice` is filled where it is undefined.
/// Bytes do not depend on the choice, scratch inside the products excepted, which is counted apart.
[[nodiscard]] at::Tensor mixture(const at::Tensor &n, const ExpertWeights &weights, const FeedForwardOption &option,
                                 RouterChoice &choice, const Permanent &permanent);

} // namespace remat::gpu
