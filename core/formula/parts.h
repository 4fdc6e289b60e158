// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/model_config.h"
#include "formula/ops.h"

namespace remat::core::formula {

/// The pieces of the engine's stages (gpu/stages), operator by operator on size-only tensors. Whoever changes a stage there
/// changes it here; the tests compare both to the byte.

/// A linear map with its optional adapter. Undefined tensors are absent.
struct ProjectionPart
{
    Tensor weight, bias, loraA, loraB;

    [[nodiscard]] bool hasAdapter() const { return loraA.defined(); }
    [[nodiscard]] Tensor anyTrained() const;
};

struct NormPart
{
    NormKind kind = NormKind::layerNorm;
    std::int64_t size = 0; // 0: there is none
    Tensor weight, bias;
    bool unitOffset = false;

    [[nodiscard]] bool exists() const { return size > 0; }
};

/// The end of a half: y = x + dropout(projection of a).
struct TailPart
{
    ProjectionPart projection;
    double dropout = 0.0;
};

struct FeedPart
{
    ProjectionPart up;
    Activation activation = Activation::gelu;
    bool gated = false;
    TailPart down;
};

using Rebuild = Forward;

/// `weight` in the type of x: itself or a cast copy.
[[nodiscard]] Tensor matching(const Tensor &weight, const Tensor &x);
[[nodiscard]] Tensor project(const Tensor &a, const ProjectionPart &projection);
[[nodiscard]] Tensor projectRebuilt(const Tensor &z, const ProjectionPart &projection, const Rebuild &before);
[[nodiscard]] Tensor residualTail(const Tensor &x, Tensor z, const TailPart &tail, bool noOutput,
                                  const Rebuild &before = {});
[[nodiscard]] Tensor dropoutMask(const Tensor &like);
[[nodiscard]] Tensor dropout(const Tensor &x, double p);
[[nodiscard]] Tensor placeholder(const Tensor &like);
[[nodiscard]] Tensor normalise(const Tensor &x, const NormPart &norm);

/// A piece that is run again in the backward: keeps its input alone.
struct RebuildPlan
{
    Rebuild run;
    bool takesGradient = true;

    [[nodiscard]] static RebuildPlan of(const Rebuild &run, const Tensor &input);
    [[nodiscard]] Tensor again(const Tensor &input, SavedGraph &graph) const;
    [[nodiscard]] static Tensor backThrough(SavedGraph &&graph, Tensor &&gradient);
};
[[nodiscard]] Tensor rebuilt(const Tensor &z, const Tensor &anchor, const Rebuild &run);

[[nodiscard]] Tensor activate(Activation kind, const Tensor &h);
[[nodiscard]] Tensor activated(Tensor h, Activation kind, bool gated);
[[nodiscard]] bool isLeanKnown(const FeedPart &feed);
[[nodiscard]] Tensor leanFeedForward(const Tensor &x, const Tensor &n, const FeedPart &feed, bool noOutput);

/// Attention from the fused product to its output.
struct AttentionPart
{
    bool explicitProducts = false;
    double dropout = 0.0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headSize = 0;
    bool causal = true;
    double softcap = 0.0;
    double clip = 0.0;
    Tensor mask;
    Tensor cosines, sines;
};
struct HeadNorms
{
    NormPart query, key;
};
[[nodiscard]] Tensors headed(Tensor qkv, const HeadNorms &norms, const AttentionPart &part);
[[nodiscard]] Tensor attend(Tensor qkv, const HeadNorms &norms, const AttentionPart &part);
[[nodiscard]] bool canKeepOutput(const Tensor &x, const AttentionPart &part);
[[nodiscard]] Tensor keptOutputAttention(const Tensor &z, const Tensor &anchor, const ManyForward &heads,
                                         const AttentionPart &part);

/// A mixture of experts.
struct ExpertsPart
{
    Experts shape;
    Tensor router, up, down;
    ProjectionPart sharedUp, sharedDown;
    Tensor sharedGate;
    Activation activation = Activation::silu;
    bool gated = true;
};
struct ExpertsOption
{
    bool dropActivation = false;
    bool dropUp = false;
};
[[nodiscard]] Tensor mixture(const Tensor &n, const ExpertsPart &part, ExpertsOption option, Tensor &choice);

/// Head and loss in parts of the tokens; see gpu/stages/chunked_loss.
[[nodiscard]] Tensor chunkedLoss(const Tensor &x, const Tensor &targets, const Rebuild &logits, const Tensor &anchor,
                                 int chunks);

} // namespace remat::core::formula
