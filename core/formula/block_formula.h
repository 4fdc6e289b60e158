// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "formula/parts.h"

namespace remat::core::formula {

/// What the two halves drop and rebuild, read from an op's option id.
struct AttentionOption
{
    bool dropCore = false;
    bool dropProjection = false;
    bool norm = false;
};
struct FeedForwardOption
{
    ExpertsOption drop;
    bool norm = false;
};
struct BlockOption
{
    AttentionOption attention;
    FeedForwardOption feedForward;
};
/// Empty where the id is unknown.
[[nodiscard]] std::optional<BlockOption> blockOption(std::string_view id);

/// A block of any family on size-only tensors: gpu/stages/block.h without values.
struct BlockPart
{
    struct Attention
    {
        NormPart norm, postNorm;
        ProjectionPart qkv;
        HeadNorms headNorms;
        TailPart out;
        AttentionPart core;
    };
    struct Feed
    {
        NormPart norm, postNorm;
        FeedPart dense;
        std::optional<ExpertsPart> experts;
    };
    NormPlacement placement = NormPlacement::pre;
    Attention attention;
    Feed feed;

    [[nodiscard]] Tensor attentionHalf(const Tensor &x, const AttentionOption &option, bool noOutput) const;
    [[nodiscard]] Tensor feedForwardHalf(const Tensor &x, const FeedForwardOption &option, bool noOutput,
                                         Tensor &choice) const;
    [[nodiscard]] Tensor parallel(const Tensor &x, const BlockOption &option, bool noOutput, Tensor &choice) const;

private:
    [[nodiscard]] Tensor attended(const Tensor &x, const Tensor &n, const AttentionOption &option) const;
    [[nodiscard]] Tensor attendedFrom(const Tensor &z, const Rebuild &before, const AttentionOption &option) const;
    [[nodiscard]] Tensor fed(const Tensor &residual, const Tensor &x, Tensor n, const FeedForwardOption &option,
                             bool noOutput) const;
    [[nodiscard]] Tensor fedMixture(const Tensor &residual, const Tensor &n, const FeedForwardOption &option,
                                    Tensor &choice) const;
    [[nodiscard]] Tensor finish(const Tensor &x, Tensor z, const TailPart &tail, const NormPart &postNorm,
                                const struct FinishCall &call) const;
};

struct FinishCall
{
    bool noOutput = false;
    Rebuild before;
};

} // namespace remat::core::formula
