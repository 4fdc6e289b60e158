// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "model/workload.h"

namespace remat::gpu {

/// What attention needs beside queries, keys and values. Constants are made once per workload.
struct AttentionSettings
{
    core::AttentionKernel kernel = core::AttentionKernel::sdpa;
    double dropout = 0.0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    at::Tensor mask; // see attentionMask()
};

/// Rotary position table: cosines and sines of [seq, rotated / 2], repeated once over the rotated dimensions.
struct RotaryTable
{
    at::Tensor cosines; // undefined: no rotation
    at::Tensor sines;
};

/// `theta` and the rotated share as in RoFormer (arXiv 2104.09864, equation 34), halves paired as Hugging Face does.
[[nodiscard]] RotaryTable rotaryTable(std::int64_t seq, std::int64_t rotated, double theta,
                                      const at::TensorOptions &options);

/// x of [batch, heads, seq, headSize]; the first `rotated` dimensions are turned.
[[nodiscard]] at::Tensor rotate(const at::Tensor &x, const RotaryTable &table);

/// The causal mask [seq, seq] with an optional window, as the kernel wants it: math, true where a query must not look;
/// sdpa, true where it looks, and undefined where the causal flag says it all.
[[nodiscard]] at::Tensor attentionMask(std::int64_t seq, std::int64_t window, core::AttentionKernel kernel,
                                       const at::TensorOptions &options);

/// softmax(q k^T / sqrt(d)) v with dropout. q [b, heads, s, d], k and v [b, kvHeads, s, d] → [b, s, heads * d].
[[nodiscard]] at::Tensor attend(at::Tensor q, at::Tensor k, at::Tensor v, const AttentionSettings &settings);

/// The kernel that attend() takes for such inputs, for people: "flash (cpu)", "math", "efficient", …
[[nodiscard]] std::string kernelName(const at::Tensor &q, const at::Tensor &k, const AttentionSettings &settings);

} // namespace remat::gpu
