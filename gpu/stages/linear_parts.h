// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

namespace remat::gpu {

/// What the custom nodes of the stages share.

[[nodiscard]] inline std::optional<at::Tensor> optional(const at::Tensor &bias)
{
    return bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt;
}

[[nodiscard]] inline at::Tensor rows(const at::Tensor &t)
{
    return t.reshape({-1, t.size(-1)});
}

/// d^T a, in the layout of the parameter, so that it becomes the gradient without a copy.
[[nodiscard]] inline at::Tensor weightGradient(const at::Tensor &d, const at::Tensor &a)
{
    return d.t().mm(a);
}

/// Takes a tensor out of a node's saved data, so that the node no longer holds it.
[[nodiscard]] inline at::Tensor takeSaved(torch::autograd::AutogradContext *context, const char *key)
{
    const auto it = context->saved_data.find(key);
    at::Tensor tensor = it->second.toTensor();
    context->saved_data.erase(it);
    return tensor;
}

} // namespace remat::gpu
