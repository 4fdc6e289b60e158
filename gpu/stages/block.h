// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "stages/attention_core.h"
#include "stages/block_option.h"
#include "stages/experts.h"
#include "stages/feed_forward.h"
#include "stages/norm.h"

namespace remat::gpu {

/// Weights and constants of one block, and its halves as functions on tensors. Owned by the model; refers to the parameter
/// store's tensors. A norm that does not exist passes its input on.
class Block
{
public:
    struct Attention
    {
        Norm norm, postNorm;
        Projection qkv;
        QueryKeyNorms headNorms;
        Tail out;
        const AttentionSettings *settings = nullptr; // of this block's form, owned by the model
    };
    struct Feed
    {
        Norm norm, postNorm;
        FeedForward dense;
        std::optional<ExpertWeights> experts;
    };

    Block(core::NormPlacement placement, Attention attention, Feed feed);

    /// One half with its residual. `choice` is the router's, see mixture().
    [[nodiscard]] at::Tensor attentionHalf(const at::Tensor &x, const AttentionOption &option, bool noOutput) const;
    [[nodiscard]] at::Tensor feedForwardHalf(const at::Tensor &x, const FeedForwardOption &option, bool noOutput,
                                             RouterChoice &choice) const;

    /// Both halves on the same input, each with its residual share: x + attention(norm x) + feedForward(norm x). A
    /// feed-forward without a norm of its own uses the attention's.
    [[nodiscard]] at::Tensor parallel(const at::Tensor &x, const BlockOption &option, bool noOutput,
                                      RouterChoice &choice) const;

    [[nodiscard]] bool hasExperts() const { return m_feed.experts.has_value(); }

private:
    [[nodiscard]] at::Tensor attended(const at::Tensor &x, const at::Tensor &n, const AttentionOption &option) const;
    [[nodiscard]] at::Tensor attendedFrom(const at::Tensor &z, const Rebuild &before,
                                          const AttentionOption &option) const;
    [[nodiscard]] at::Tensor feed(const at::Tensor &residual, const at::Tensor &x, at::Tensor n, const Norm &norm,
                                  const FeedForwardOption &option, bool noOutput) const;
    [[nodiscard]] at::Tensor feedMixture(const at::Tensor &residual, const at::Tensor &n,
                                         const FeedForwardOption &option, RouterChoice &choice) const;
    [[nodiscard]] at::Tensor finish(const at::Tensor &x, at::Tensor z, const Tail &tail, const Norm &postNorm,
                                    bool noOutput, const Rebuild &before = {}) const;

    core::NormPlacement m_placement;
    Attention m_attention;
    Feed m_feed;
};

} // namespace remat::gpu
