// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include "torch_version.h"

namespace remat::gpu {

struct GradientSink;

/// The recorded graph of one stage, or of a part of one. It is held by edges and not by the outputs, so that these may
/// die; the sink stands where a leaf would and receives the gradient of the input. Move-only in spirit: the backward
/// consumes it.
struct SavedStage
{
    torch::autograd::edge_list edges;
    std::shared_ptr<GradientSink> sink; // null where the input takes no gradient

    /// False where nothing in it is trained and its input takes no gradient.
    [[nodiscard]] bool isRecorded() const { return !edges.empty() && edges.front().is_valid(); }
};

using StageForward = std::function<at::Tensor(const at::Tensor &input)>;
using ManyForward = std::function<std::vector<at::Tensor>(const at::Tensor &input)>;

/// Runs `stage` with its graph recorded on a detached input and returns the output without history.
[[nodiscard]] at::Tensor forwardSave(const StageForward &stage, const at::Tensor &boundary, bool takesGradient,
                                     SavedStage &out);

/// The same with several outputs.
[[nodiscard]] std::vector<at::Tensor> forwardSaveMany(const ManyForward &stage, const at::Tensor &boundary,
                                                      bool takesGradient, SavedStage &out);

/// Runs the graph backward. `dy` is handed over whole: the engine may add to it in place and drop it early. Returns the
/// gradient of the stage's input, undefined where it takes none. `tick` is any permanent defined tensor. Throws where a
/// gradient that must exist does not.
[[nodiscard]] at::Tensor backward(SavedStage saved, at::Tensor &&dy, const at::Tensor &tick);
[[nodiscard]] at::Tensor backwardMany(SavedStage saved, std::vector<at::Tensor> &&dys, const at::Tensor &tick);

/// After a backward that threw: nodes that were ready but never ran wait in the engine's queue of this thread, with all
/// that they saved, for the next backward to drop them. This is that backward; it computes nothing.
void dropUnfinishedBackward(const at::Tensor &tick);

} // namespace remat::gpu
