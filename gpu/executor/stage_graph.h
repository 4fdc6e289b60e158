// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>

#include "torch_version.h"

namespace remat::gpu {

struct GradientSink;

/// The recorded graph of one stage. It is held by an edge and not by the stage's output, so that the output may die;
/// the sink stands where a leaf would and receives the gradient of the stage's input. Move-only in spirit: the backward
/// consumes it.
struct SavedStage
{
    torch::autograd::Edge edge;
    std::shared_ptr<GradientSink> sink; // null where the input takes no gradient
};

using StageForward = std::function<at::Tensor(const at::Tensor &input)>;

/// Runs `stage` with its graph recorded on a detached input and returns the output without history.
[[nodiscard]] at::Tensor forwardSave(const StageForward &stage, const at::Tensor &boundary, bool takesGradient,
                                     SavedStage &out);

/// Runs the graph backward. `dy` is handed over whole: the engine may add to it in place and drop it early. Returns the
/// gradient of the stage's input, undefined where it takes none. `tick` is any permanent defined tensor. Throws where a
/// gradient that must exist does not.
[[nodiscard]] at::Tensor backward(SavedStage saved, at::Tensor &&dy, const at::Tensor &tick);

/// After a backward that threw: nodes that were ready but never ran wait in the engine's queue of this thread, with all
/// that they saved, for the next backward to drop them. This is that backward; it computes nothing.
void dropUnfinishedBackward(const at::Tensor &tick);

} // namespace remat::gpu
