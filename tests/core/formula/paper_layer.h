// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "config/model_config.h"
#include "formula/ops.h"

namespace remat::tests {

/// A layer as the papers list it. `heads` and `ffn` may be those of one rank of tensor parallelism; the rest is not split.
struct PaperLayer
{
    std::int64_t batch = 1, seq = 0, width = 0, heads = 0, kvHeads = 0, ffn = 0;
    core::formula::Element type = core::formula::Element::bf16;
    enum class Dropout { none, maskOfBytes, noise } dropout = Dropout::none;
    bool flash = false;
    bool gated = false;
    std::int64_t headSize = 0; // 0: width / heads
    /// What runs without a graph, its inputs kept: nothing; scores, softmax, dropout and their product with the values; all.
    enum class Recompute { none, core, all } recompute = Recompute::none;
};

/// The layer's forward, built from the tape's operators.
class PaperRun
{
public:
    explicit PaperRun(const PaperLayer &layer);

    /// Bytes that the backward will need: the layer's input counts, its output does not, nor do the norms' statistics.
    [[nodiscard]] core::Bytes kept() const;

private:
    using Tensor = core::formula::Tensor;

    Tensor weight(std::int64_t out, std::int64_t in);
    Tensor norm(const Tensor &x) const;
    Tensor dropped(const Tensor &x) const;
    Tensor headsOf(const Tensor &n, std::int64_t heads);
    Tensor scoresTimesValues(const Tensor &q, const Tensor &k, const Tensor &v) const;
    Tensor attention(const Tensor &x);
    Tensor feedForward(const Tensor &x);

    PaperLayer m_layer;
    core::formula::Tape m_tape;
    core::formula::Tensors m_kept; // what a recomputation starts from
    Tensor m_output;
};

/// GPT as Korthikanti et al. and Narayanan et al. count it.
[[nodiscard]] core::ModelConfig gptOf(int layers, std::int64_t width, std::int64_t heads);

} // namespace remat::tests
