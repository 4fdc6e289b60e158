// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <string>

#include "training/torch_workload.h"

namespace remat::tests {

/// Loss and gradients of the first micro-batch of step 0, by parameter name.
struct ReferenceResult
{
    double loss = 0.0;
    std::map<std::string, at::Tensor> gradients; // fp64; undefined where the parameter has no part in the loss
    std::map<int, at::Tensor> choices;           // [tokens, per token] experts by stage
};

/// The model written down once more from the papers and from Hugging Face's modules, in fp64 and in another form than the
/// engine's: heads, experts and tokens in loops, rotation of complex numbers, norms and activations by their formulas. It
/// shares names and shapes of the parameters and the rotary frequencies with the product, and no code of the stages.
/// `choices`: experts that routers are made to choose, by stage. No dropout.
[[nodiscard]] ReferenceResult referenceForwardBackward(const core::ModelConfig &model, gpu::TorchWorkload &prepared,
                                                       const std::map<int, at::Tensor> &choices = {});

/// Gives every parameter values with which each of them matters: seeded by its name, biases and norms included.
void fillWithNoise(gpu::ParameterStore &parameters);

/// The largest difference of two gradients over the largest element of the reference; a missing one counts as zeros.
[[nodiscard]] double relativeDifference(const at::Tensor &gradient, const at::Tensor &reference);

} // namespace remat::tests
