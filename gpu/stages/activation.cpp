// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold_backward.h>

namespace remat::gpu {

using core::Activation;

namespace {

c10::string_view approximation(Activation kind)
{
    return kind == Activation::geluTanh ? "tanh" : "none";
}

} // namespace

at::Tensor activate(Activation kind, const at::Tensor &h)
{
    switch (kind) {
    case Activation::silu:
        return at::silu(h);
    case Activation::relu:
        return at::relu(h);
    case Activation::reluSquared:
        return at::pow(at::relu(h), 2);
    case Activation::tanh:
        return at::tanh(h);
    default:
        return at::gelu(h, approximation(kind));
    }
}

void activateInPlace(Activation kind, at::Tensor &h)
{
    switch (kind) {
    case Activation::silu:
        at::silu_(h);
        return;
    case Activation::relu:
        at::relu_(h);
        return;
    case Activation::reluSquared:
        at::relu_(h);
        h.pow_(2);
        return;
    case Activation::tanh:
        at::tanh_(h);
        return;
    default:
        at::gelu_(h, approximation(kind));
    }
}

bool hasBackwardInPlace(Activation kind)
{
    return kind != Activation::reluSquared && kind != Activation::tanh;
}

void activationBackwardInPlace(Activation kind, at::Tensor &da, const at::Tensor &h)
{
    switch (kind) {
    case Activation::silu:
        at::silu_backward_out(da, da, h);
        return;
    case Activation::relu:
        at::threshold_backward_out(da, da, h, 0);
        return;
    default:
        at::gelu_backward_out(da, da, h, approximation(kind));
    }
}

} // namespace remat::gpu
