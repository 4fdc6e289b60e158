// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <ATen/core/Tensor.h>

#include "config/model_config.h"

namespace remat::gpu {

/// A LayerNorm or RMSNorm over the last `size` elements. Weights may be undefined; this only refers to them.
struct Norm
{
    core::NormKind kind = core::NormKind::layerNorm;
    std::int64_t size = 0;
    at::Tensor weight;
    at::Tensor bias;
    double epsilon = 1e-5;
    bool unitOffset = false; // the factor is 1 + weight

    /// False: there is no such norm, and normalise() returns its input.
    [[nodiscard]] bool exists() const { return size > 0; }
};

/// Native operators; statistics in the type that LibTorch takes for `x`.
[[nodiscard]] at::Tensor normalise(const at::Tensor &x, const Norm &norm);

} // namespace remat::gpu
