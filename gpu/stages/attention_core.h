// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/workload.h"
#include "stages/norm.h"

namespace remat::gpu {

/// Rotary position table: cosines and sines of [seq, rotated], the frequencies repeated once.
struct RotaryTable
{
    at::Tensor cosines; // undefined: no rotation
    at::Tensor sines;
};

/// What attention needs beside queries, keys and values. One per form of layer, with constants made once per workload.
struct AttentionSettings
{
    core::AttentionKernel kernel = core::AttentionKernel::sdpa;
    double dropout = 0.0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headSize = 0;
    bool causal = true;
    double scale = 0.0;   // 0: 1 / sqrt(head size)
    double softcap = 0.0; // explicit kernel only
    double clip = 0.0;    // of the fused product; 0: none
    at::Tensor mask;      // see attentionMask()
    RotaryTable rotary;
};

/// Norms of queries and keys, per head or over all heads; sizes say which.
struct QueryKeyNorms
{
    Norm query;
    Norm key;
};

/// `frequencies` of the rotated pairs, halves paired as Hugging Face does (RoFormer, arXiv 2104.09864, equation 34);
/// `factor` multiplies cosines and sines.
[[nodiscard]] RotaryTable rotaryTable(std::int64_t seq, const std::vector<double> &frequencies, double factor,
                                      const at::TensorOptions &options);

/// x of [batch, heads, seq, headSize]; the first `rotated` dimensions are turned.
[[nodiscard]] at::Tensor rotate(const at::Tensor &x, const RotaryTable &table);

/// What a query must not see, as a sum to the scores: [seq, seq], or [1, heads, seq, seq] with ALiBi's slopes (arXiv
/// 2108.12409), in the type of `options`. Undefined where the causal flag, or nothing, says it all.
[[nodiscard]] at::Tensor attentionMask(std::int64_t seq, std::int64_t window, const AttentionSettings &settings,
                                       const std::vector<double> &slopes, const at::TensorOptions &options);

/// From the fused product [b, s, (heads + 2 kvHeads) * d] to the attention output [b, s, heads * d]: split, clip, norms,
/// rotation, softmax(q k^T * scale + mask) v with dropout.
[[nodiscard]] at::Tensor attend(at::Tensor qkv, const QueryKeyNorms &norms, const AttentionSettings &settings);

/// The first half of attend(): queries [b, h, s, d], keys and values [b, kvHeads, s, d].
[[nodiscard]] std::vector<at::Tensor> headed(at::Tensor qkv, const QueryKeyNorms &norms,
                                             const AttentionSettings &settings);

/// LibTorch's own choice for such inputs: 0 math, 1 flash, 2 memory-efficient, 3 cuDNN; -1 explicit products.
[[nodiscard]] std::int64_t kernelChoice(const at::Tensor &q, const at::Tensor &k, const AttentionSettings &settings);

/// Tells LibTorch which kernels it may take for the workload's choice. Process-wide.
void allowKernels(core::AttentionKernel kernel);

} // namespace remat::gpu
