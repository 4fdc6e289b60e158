// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <ATen/core/Tensor.h>

#include "config/model_config.h"

namespace remat::gpu {

/// The feed-forward's non-linearity, in the three forms that stages need.
[[nodiscard]] at::Tensor activate(core::Activation kind, const at::Tensor &h);
void activateInPlace(core::Activation kind, at::Tensor &h);
/// False where the backward needs more than the input: activationBackwardInPlace is then not to be called.
[[nodiscard]] bool hasBackwardInPlace(core::Activation kind);
/// Gradient with respect to `h`, written over `da`.
void activationBackwardInPlace(core::Activation kind, at::Tensor &da, const at::Tensor &h);

} // namespace remat::gpu
