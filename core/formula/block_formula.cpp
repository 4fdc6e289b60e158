// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/block_formula.h"

#include "schedule/strategy.h"

namespace remat::core::formula {

std::optional<BlockOption> blockOption(std::string_view id)
{
    const auto options = stageOptionsFrom(id);
    if (!options)
        return std::nullopt;
    const std::string_view attention = options->attention;
    const std::string_view feed = options->feedForward;
    return BlockOption{
        {attention.starts_with("drop_core"), attention.starts_with("drop_qkv"), attention.ends_with("_norm")},
        {{feed.starts_with("lean_mlp"), feed.starts_with("drop_up")}, feed.ends_with("_norm")}};
}

Tensor BlockPart::finish(const Tensor &x, Tensor z, const TailPart &tail, const NormPart &postNorm,
                         const FinishCall &call) const
{
    if (placement == NormPlacement::pre)
        return residualTail(x, std::move(z), tail, call.noOutput, call.before);
    if (placement == NormPlacement::post)
        return normalise(residualTail(x, std::move(z), tail, false, call.before), postNorm);
    Tensor branch = call.before ? projectRebuilt(z, tail.projection, call.before) : project(z, tail.projection);
    z.reset();
    branch = dropout(normalise(branch, postNorm), tail.dropout);
    add_(branch, x);
    return branch;
}

Tensor BlockPart::attended(const Tensor &x, const Tensor &n, const AttentionOption &option) const
{
    if (n.defined())
        return attendedFrom(n, {}, option);
    return attendedFrom(
        x, [this](const Tensor &t) { return normalise(t, attention.norm); }, option);
}

Tensor BlockPart::attendedFrom(const Tensor &z, const Rebuild &before, const AttentionOption &option) const
{
    const Attention &a = attention;
    const auto fused = [&a, before](const Tensor &t) { return project(before ? before(t) : t, a.qkv); };
    const bool graph = z.tape().gradMode;
    if (graph && option.dropProjection) {
        if (canKeepOutput(z, a.core))
            return keptOutputAttention(
                z, a.qkv.anyTrained(), [&a, fused](const Tensor &t) { return headed(fused(t), a.headNorms, a.core); },
                a.core);
        return rebuilt(z, a.qkv.anyTrained(),
                       [&a, fused](const Tensor &t) { return attend(fused(t), a.headNorms, a.core); });
    }
    Tensor qkv = before ? projectRebuilt(z, a.qkv, before) : project(z, a.qkv);
    if (graph && option.dropCore) {
        const Tensor last = std::exchange(qkv, {});
        return rebuilt(last, a.headNorms.query.weight,
                       [&a](const Tensor &t) { return attend(t, a.headNorms, a.core); });
    }
    return attend(std::move(qkv), a.headNorms, a.core);
}

Tensor BlockPart::attentionHalf(const Tensor &x, const AttentionOption &option, bool noOutput) const
{
    const bool rebuildsNorm = option.norm && x.tape().gradMode && attention.norm.exists();
    Tensor n = rebuildsNorm ? Tensor() : normalise(x, attention.norm);
    Tensor a = attended(x, n, option);
    n.reset();
    return finish(x, std::move(a), attention.out, attention.postNorm, {noOutput, {}});
}

Tensor BlockPart::fed(const Tensor &residual, const Tensor &x, Tensor n, const FeedForwardOption &option,
                      bool noOutput) const
{
    const FeedPart &ff = feed.dense;
    const NormPart &norm = feed.norm;
    const bool graph = x.tape().gradMode;
    const bool fusedEnd = placement == NormPlacement::pre || placement == NormPlacement::post;
    if (graph && option.drop.dropActivation && n.defined() && fusedEnd && isLeanKnown(ff)) {
        const bool post = placement == NormPlacement::post;
        Tensor y = leanFeedForward(residual, n, ff, noOutput && !post);
        return post ? normalise(y, feed.postNorm) : y;
    }
    const Rebuild normed = [&norm](const Tensor &t) { return normalise(t, norm); };
    const Rebuild act = [&ff](const Tensor &h) { return activated(h, ff.activation, ff.gated); };
    if (graph && option.drop.dropUp) {
        const bool fromInput = !n.defined();
        const Rebuild hidden = [&ff, &norm, fromInput](const Tensor &t) {
            return activated(project(fromInput ? normalise(t, norm) : t, ff.up), ff.activation, ff.gated);
        };
        return finish(residual, fromInput ? x : std::exchange(n, {}), ff.down, feed.postNorm, {noOutput, hidden});
    }
    Tensor h;
    if (n.defined()) {
        const Tensor last = std::exchange(n, {});
        h = project(last, ff.up);
    } else {
        h = projectRebuilt(x, ff.up, normed);
    }
    if (graph && option.drop.dropActivation)
        return finish(residual, std::move(h), ff.down, feed.postNorm, {noOutput, act});
    Tensor a = activated(std::move(h), ff.activation, ff.gated);
    return finish(residual, std::move(a), ff.down, feed.postNorm, {noOutput, {}});
}

Tensor BlockPart::fedMixture(const Tensor &residual, const Tensor &n, const FeedForwardOption &option,
                             Tensor &choice) const
{
    Tensor branch = mixture(n, *feed.experts, option.drop, choice);
    const bool normAfterSum = placement == NormPlacement::post;
    if (!normAfterSum)
        branch = normalise(branch, feed.postNorm);
    branch = dropout(branch, feed.dense.down.dropout);
    add_(branch, residual);
    return normAfterSum ? normalise(branch, feed.postNorm) : branch;
}

Tensor BlockPart::feedForwardHalf(const Tensor &x, const FeedForwardOption &option, bool noOutput, Tensor &choice) const
{
    if (feed.experts)
        return fedMixture(x, normalise(x, feed.norm), option, choice);
    const bool rebuildsNorm = option.norm && x.tape().gradMode && feed.norm.exists();
    Tensor n = rebuildsNorm ? Tensor() : normalise(x, feed.norm);
    return fed(x, x, std::move(n), option, noOutput);
}

Tensor BlockPart::parallel(const Tensor &x, const BlockOption &option, bool noOutput, Tensor &choice) const
{
    const bool graph = x.tape().gradMode;
    const Tensor input = graph ? alias(x) : x;
    const bool shared = !feed.norm.exists();
    BlockOption how = option;
    how.attention.norm = how.attention.norm && graph && !shared;
    how.feedForward.norm = how.feedForward.norm && graph && !shared && !feed.experts;
    Tensor n = how.attention.norm ? Tensor() : normalise(input, attention.norm);
    Tensor m;
    if (!how.feedForward.norm)
        m = shared ? n : normalise(input, feed.norm);
    Tensor a = attended(input, n, how.attention);
    n.reset();
    const Tensor sum = residualTail(x, std::move(a), attention.out, noOutput);
    if (feed.experts)
        return fedMixture(sum, m, how.feedForward, choice);
    return fed(sum, input, std::move(m), how.feedForward, noOutput);
}

} // namespace remat::core::formula
