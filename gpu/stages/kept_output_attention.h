// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "executor/stage_graph.h"
#include "stages/attention_core.h"
#include "stages/projection.h"

namespace remat::gpu {

/// True where the output of the kernel can be kept and queries, keys and values made again for its backward: the CPU's
/// fused kernel. Elsewhere the core is run again as well.
[[nodiscard]] bool canKeepOutput(const at::Tensor &x, const AttentionSettings &settings);

/// Attention output [b, s, heads * d] from the input z of `fused` (which gives the fused product): z, the output and its
/// log-sum-exp are kept, queries, keys and values are not, and the kernel runs once. `anchor` as in rebuilt().
[[nodiscard]] at::Tensor keptOutputAttention(const at::Tensor &z, const at::Tensor &anchor, const ManyForward &heads,
                                             const AttentionSettings &settings, const at::Tensor &tick);

} // namespace remat::gpu
