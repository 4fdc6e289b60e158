// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <ATen/core/ivalue.h>

#include "executor/random_state.h"
#include "executor/stage_graph.h"
#include "stages/projection.h"

namespace remat::gpu {

/// What a node with a rebuilt part carries from its forward to its backward. Lives in the node's saved data.
struct RebuildPlan final : torch::CustomClassHolder
{
    Rebuild run;
    at::Tensor tick;
    bool takesGradient = true;         // of its input
    std::optional<RandomState> random; // where the part draws numbers: its state at the first run

    [[nodiscard]] static c10::IValue make(const Rebuild &run, const at::Tensor &input, const at::Tensor &tick,
                                          bool drawsNumbers);
    [[nodiscard]] static const RebuildPlan &of(const c10::IValue &value);

    /// Runs the part again with its graph, as recomputation, on the numbers of the first run.
    [[nodiscard]] at::Tensor again(const at::Tensor &input, SavedStage &graph) const;
    /// The gradient of the input; undefined where it takes none or nothing of the part is trained.
    [[nodiscard]] at::Tensor backThrough(SavedStage &&graph, at::Tensor &&gradient) const;
};

/// run(z), keeping z alone: what `run` saved is made again in the backward. `anchor` is a trained tensor that `run` uses, or
/// undefined; it makes the result part of the graph where z takes no gradient. Only with grad mode on.
[[nodiscard]] at::Tensor rebuilt(const at::Tensor &z, const at::Tensor &anchor, const Rebuild &run,
                                 const at::Tensor &tick, bool drawsNumbers);

} // namespace remat::gpu
