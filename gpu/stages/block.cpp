// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/block.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/alias.h>

#include <utility>

#include "stages/kept_output_attention.h"
#include "stages/rebuilt.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

using core::NormPlacement;

Block::Block(NormPlacement placement, Attention attention, Feed feed)
    : m_placement(placement), m_attention(std::move(attention)), m_feed(std::move(feed))
{
}

/// From the branch's last input to the half's output, by where the norms stand.
at::Tensor Block::finish(const at::Tensor &x, at::Tensor z, const Tail &tail, const Norm &postNorm, bool noOutput,
                         const Rebuild &before) const
{
    if (m_placement == NormPlacement::pre)
        return residualTail(x, std::move(z), tail, noOutput, before);
    if (m_placement == NormPlacement::post) // the norm keeps the sum, so the sum is always made
        return normalise(residualTail(x, std::move(z), tail, false, before), postNorm);
    at::Tensor branch
        = before ? projectRebuilt(z, tail.projection, tail.permanent, before) : project(z, tail.projection);
    z.reset();
    branch = dropout(normalise(branch, postNorm), tail.dropout);
    branch.add_(x);
    return branch;
}

/// Attention output from the fused product's input. `n` is the normalised input, or x itself where the norm is rebuilt.
at::Tensor Block::attended(const at::Tensor &x, const at::Tensor &n, const AttentionOption &option) const
{
    const PartScope part(StagePart::attention);
    if (n.defined())
        return attendedFrom(n, {}, option);
    return attendedFrom(
        x, [this](const at::Tensor &t) { return normalise(t, m_attention.norm); }, option);
}

at::Tensor Block::attendedFrom(const at::Tensor &z, const Rebuild &before, const AttentionOption &option) const
{
    const Attention &a = m_attention;
    const AttentionSettings &settings = *a.settings;
    const at::Tensor &tick = a.out.permanent.tick;
    const auto fused = [&a, before](const at::Tensor &t) { return project(before ? before(t) : t, a.qkv); };
    if (at::GradMode::is_enabled() && option.dropProjection) {
        if (canKeepOutput(z, settings))
            return keptOutputAttention(
                z, a.qkv.anyTrained(),
                [&a, fused](const at::Tensor &t) { return headed(fused(t), a.headNorms, *a.settings); }, settings,
                tick);
        return rebuilt(
            z, a.qkv.anyTrained(),
            [&a, fused](const at::Tensor &t) { return attend(fused(t), a.headNorms, *a.settings); }, tick,
            settings.dropout > 0);
    }
    at::Tensor qkv = before ? projectRebuilt(z, a.qkv, a.out.permanent, before) : project(z, a.qkv);
    if (at::GradMode::is_enabled() && option.dropCore)
        return rebuilt(
            std::exchange(qkv, {}), a.headNorms.query.weight,
            [&a](const at::Tensor &t) { return attend(t, a.headNorms, *a.settings); }, tick, settings.dropout > 0);
    return attend(std::move(qkv), a.headNorms, settings);
}

at::Tensor Block::attentionHalf(const at::Tensor &x, const AttentionOption &option, bool noOutput) const
{
    const bool rebuildsNorm = option.norm && at::GradMode::is_enabled() && m_attention.norm.exists();
    at::Tensor n = rebuildsNorm ? at::Tensor() : normalise(x, m_attention.norm);
    at::Tensor a = attended(x, n, option);
    n.reset();
    return finish(x, std::move(a), m_attention.out, m_attention.postNorm, noOutput);
}

/// The dense feed-forward with its end. `n` is the normalised input; undefined where the option rebuilds `norm` from x.
at::Tensor Block::feed(const at::Tensor &residual, const at::Tensor &x, at::Tensor n, const Norm &norm,
                       const FeedForwardOption &option, bool noOutput) const
{
    const PartScope part(StagePart::feedForward);
    const FeedForward &ff = m_feed.dense;
    const bool graph = at::GradMode::is_enabled();
    const bool fusedEnd = m_placement == NormPlacement::pre || m_placement == NormPlacement::post;
    if (graph && option.dropActivation && n.defined() && fusedEnd && isLeanKnown(ff)) {
        const bool post = m_placement == NormPlacement::post;
        at::Tensor y = leanFeedForward(residual, n, ff, noOutput && !post);
        return post ? normalise(y, m_feed.postNorm) : y;
    }
    const Rebuild normed = [&norm](const at::Tensor &t) { return normalise(t, norm); };
    const Rebuild activation = [&ff](const at::Tensor &h) {
        const PartScope again(StagePart::feedForward);
        return activated(h, ff.activation, ff.gated);
    };
    if (graph && option.dropUp) {
        const bool fromInput = !n.defined();
        const Rebuild hidden = [&ff, &norm, fromInput](const at::Tensor &t) {
            const PartScope again(StagePart::feedForward);
            return activated(project(fromInput ? normalise(t, norm) : t, ff.up), ff.activation, ff.gated);
        };
        return finish(residual, fromInput ? x : std::exchange(n, {}), ff.down, m_feed.postNorm, noOutput, hidden);
    }
    at::Tensor h
        = n.defined() ? project(std::exchange(n, {}), ff.up) : projectRebuilt(x, ff.up, ff.down.permanent, normed);
    if (graph && option.dropActivation)
        return finish(residual, std::move(h), ff.down, m_feed.postNorm, noOutput, activation);
    at::Tensor a = activated(std::move(h), ff.activation, ff.gated);
    return finish(residual, std::move(a), ff.down, m_feed.postNorm, noOutput);
}

at::Tensor Block::feedMixture(const at::Tensor &residual, const at::Tensor &n, const FeedForwardOption &option,
                              RouterChoice &choice) const
{
    const PartScope part(StagePart::feedForward);
    at::Tensor branch = mixture(n, *m_feed.experts, option, choice, m_feed.dense.down.permanent);
    const bool normAfterSum = m_placement == NormPlacement::post;
    if (!normAfterSum)
        branch = normalise(branch, m_feed.postNorm);
    branch = dropout(branch, m_feed.dense.down.dropout);
    branch.add_(residual);
    return normAfterSum ? normalise(branch, m_feed.postNorm) : branch;
}

at::Tensor Block::feedForwardHalf(const at::Tensor &x, const FeedForwardOption &option, bool noOutput,
                                  RouterChoice &choice) const
{
    if (m_feed.experts) // router and experts read the normalised input: it is kept
        return feedMixture(x, normalise(x, m_feed.norm), option, choice);
    const bool rebuildsNorm = option.norm && at::GradMode::is_enabled() && m_feed.norm.exists();
    at::Tensor n = rebuildsNorm ? at::Tensor() : normalise(x, m_feed.norm);
    return feed(x, x, std::move(n), m_feed.norm, option, noOutput);
}

at::Tensor Block::parallel(const at::Tensor &x, const BlockOption &option, bool noOutput, RouterChoice &choice) const
{
    // Both norms read x through one alias: their shares of the gradient are summed before the residual's is added, in
    // whatever order they come.
    const bool graph = at::GradMode::is_enabled();
    const at::Tensor input = graph ? at::alias(x) : x;
    const bool shared = !m_feed.norm.exists(); // both halves read one normalised input: it is kept
    BlockOption how = option;
    how.attention.norm = how.attention.norm && graph && !shared;
    how.feedForward.norm = how.feedForward.norm && graph && !shared && !m_feed.experts;
    at::Tensor n = how.attention.norm ? at::Tensor() : normalise(input, m_attention.norm);
    at::Tensor m;
    if (!how.feedForward.norm)
        m = shared ? n : normalise(input, m_feed.norm);
    at::Tensor a = attended(input, n, how.attention);
    n.reset();
    const at::Tensor sum = residualTail(x, std::move(a), m_attention.out, noOutput);
    if (m_feed.experts)
        return feedMixture(sum, m, how.feedForward, choice);
    return feed(sum, input, std::move(m), m_feed.norm, how.feedForward, noOutput);
}

} // namespace remat::gpu
