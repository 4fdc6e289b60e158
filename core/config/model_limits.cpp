// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/model_limits.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace remat::core {

namespace {

std::string range(std::string_view name, std::int64_t value, std::int64_t smallest, std::int64_t largest)
{
    return "has " + std::string(name) + " = " + std::to_string(value) + "; allowed are " + std::to_string(smallest)
        + " to " + std::to_string(largest);
}

std::int64_t rotatedElements(const ModelConfig &model)
{
    return static_cast<std::int64_t>(static_cast<double>(model.headSize) * model.rotaryFraction);
}

bool isFinite(std::initializer_list<double> numbers)
{
    return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

std::string sizeProblem(const ModelConfig &model)
{
    if (model.layers < 1 || model.layers > kMostLayers)
        return range("layers", model.layers, 1, kMostLayers);
    for (const SizeLimit &limit : kSizeLimits) {
        const std::int64_t value = model.*limit.member;
        const bool isUnused = model.head == HeadKind::image && limit.member == &ModelConfig::vocabulary;
        if (!(isUnused && value == 0) && (value < limit.smallest || value > limit.largest))
            return range(limit.name, value, limit.smallest, limit.largest);
    }
    if (!model.layerForms.empty() && model.layerForms.size() != static_cast<std::size_t>(model.layers))
        return "has forms for " + std::to_string(model.layerForms.size()) + " of its " + std::to_string(model.layers)
            + " layers; each layer needs one";
    return {};
}

std::string expertsProblem(const ModelConfig &model)
{
    const Experts &experts = model.experts;
    constexpr std::int64_t kWidest = std::int64_t(1) << 21;
    constexpr std::int64_t kMostExpertWidth = std::int64_t(1) << 26;
    const auto outside = [](std::int64_t value, std::int64_t smallest, std::int64_t largest) {
        return value < smallest || value > largest;
    };
    if (outside(experts.count, 0, kMostExperts))
        return range("experts", experts.count, 0, kMostExperts);
    const auto usesExperts = [](const LayerForm &form) { return form.experts; };
    if (experts.count == 0)
        return std::any_of(model.layerForms.begin(), model.layerForms.end(), usesExperts)
            ? "has layers with experts, but no number of experts"
            : std::string();
    if (outside(experts.perToken, 1, experts.count))
        return range("experts_per_token", experts.perToken, 1, experts.count);
    if (outside(experts.width, 1, kWidest))
        return range("expert_width", experts.width, 1, kWidest);
    if (outside(experts.sharedWidth, 0, kWidest))
        return range("shared_expert_width", experts.sharedWidth, 0, kWidest);
    // All experts' weights are one tensor: no product of sizes may leave 64 bits.
    if (experts.count * experts.width > kMostExpertWidth)
        return range("experts times expert_width", experts.count * experts.width, 1, kMostExpertWidth);
    if (experts.sharedGate && experts.sharedWidth == 0)
        return "has a gate for a shared expert, but no shared expert";
    return {};
}

std::string rotaryProblem(const ModelConfig &model)
{
    if (!(model.rotaryFraction > 0.0 && model.rotaryFraction <= 1.0) || rotatedElements(model) < 2
        || rotatedElements(model) % 2 != 0)
        return "rotates " + std::to_string(static_cast<double>(model.headSize) * model.rotaryFraction)
            + " elements of each head of size " + std::to_string(model.headSize)
            + "; rotary positions need an even number of at least 2";
    const RopeScaling &scaling = model.ropeScaling;
    if (!isFinite({model.ropeTheta, model.ropeThetaWindowed}) || !(model.ropeTheta > 0.0)
        || !(model.ropeThetaWindowed >= 0.0))
        return "has a rotary base that is not a positive number";
    if (scaling.kind == RopeKind::plain)
        return {};
    if (!isFinite({scaling.factor, scaling.lowFactor, scaling.highFactor, scaling.betaFast, scaling.betaSlow,
                   scaling.attention, scaling.originalPositions})
        || !(scaling.factor > 0.0) || !(scaling.attention > 0.0))
        return "has a scaling of rotary frequencies whose factors are not positive numbers";
    const bool needsOriginal = scaling.kind == RopeKind::llama3 || scaling.kind == RopeKind::yarn;
    if (needsOriginal && !(scaling.originalPositions >= 1.0))
        return "has a scaling of rotary frequencies without the number of positions before it";
    if (scaling.kind == RopeKind::llama3 && !(scaling.highFactor > scaling.lowFactor))
        return "has a scaling of rotary frequencies whose high_freq_factor is not above its low_freq_factor";
    if (scaling.kind == RopeKind::yarn && !(scaling.betaFast > 0.0 && scaling.betaSlow > 0.0 && model.ropeTheta > 1.0))
        return "has a scaling of rotary frequencies whose beta_fast and beta_slow are not positive";
    const auto isPositive = [](double factor) { return std::isfinite(factor) && factor > 0.0; };
    if (scaling.kind == RopeKind::longrope
        && (scaling.factors.size() != static_cast<std::size_t>(rotatedElements(model) / 2)
            || !std::all_of(scaling.factors.begin(), scaling.factors.end(), isPositive)))
        return "has " + std::to_string(scaling.factors.size()) + " factors for rotary frequencies; "
            + std::to_string(rotatedElements(model) / 2) + " positive ones are needed, one for each rotated pair";
    return {};
}

std::string headProblem(const ModelConfig &model)
{
    if (model.heads % model.kvHeads != 0)
        return "has kv_heads = " + std::to_string(model.kvHeads)
            + ", which does not divide heads = " + std::to_string(model.heads);
    const bool hasClasses = model.head == HeadKind::sequence || model.head == HeadKind::image;
    if (hasClasses && model.classes < 2)
        return range("classes", model.classes, 2, 1 << 20);
    if (model.head == HeadKind::image && (model.patchSize < 1 || model.channels < 1 || model.positions < 2))
        return "has patches of " + std::to_string(model.patchSize) + " by " + std::to_string(model.patchSize) + " in "
            + std::to_string(model.channels) + " channels and " + std::to_string(model.positions)
            + " positions; an image needs a patch size, channels and at least two positions";
    if (model.normPlacement == NormPlacement::post && model.parallelResidual)
        return "has norms after the sums of two halves that run in parallel, which no known family has";
    return model.position == PositionKind::rotary ? rotaryProblem(model) : std::string();
}

std::string numberProblem(const ModelConfig &model)
{
    for (const double dropout : {model.embeddingDropout, model.residualDropout, model.attentionDropout})
        if (!(dropout >= 0.0 && dropout < 1.0))
            return "has a dropout of " + std::to_string(dropout) + "; allowed are 0 up to, but not including, 1";
    for (const double epsilon : {model.normEpsilon, model.headNormEpsilon})
        if (!(epsilon >= 0.0 && epsilon <= 1.0))
            return "has a norm epsilon of " + std::to_string(epsilon) + "; allowed are 0 to 1";
    if (!(model.initializerRange >= 0.0 && model.initializerRange <= 100.0))
        return "has an initializer range of " + std::to_string(model.initializerRange) + "; allowed are 0 to 100";
    if (!isFinite({model.embeddingScale}))
        return "has an embedding scale that is not a number";
    if (!isFinite({model.logitScale}) || model.logitScale == 0.0)
        return "has a logit scale that is not a number other than 0";
    for (const double limit : {model.qkvClip, model.attentionSoftcap, model.finalSoftcap, model.attentionScale})
        if (!(limit >= 0.0) || !std::isfinite(limit))
            return "has a limit or factor in attention or logits of " + std::to_string(limit)
                + "; allowed are 0 (none) and positive numbers";
    return {};
}

} // namespace

std::string shapeProblem(const ModelConfig &model)
{
    for (const auto &find : {sizeProblem, numberProblem, expertsProblem, headProblem})
        if (std::string problem = find(model); !problem.empty())
            return problem;
    return {};
}

} // namespace remat::core
