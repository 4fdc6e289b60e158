// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/model_limits.h"

#include <cmath>

namespace remat::core {

namespace {

std::string range(std::string_view name, std::int64_t value, std::int64_t smallest, std::int64_t largest)
{
    return "has " + std::string(name) + " = " + std::to_string(value) + "; allowed are " + std::to_string(smallest)
        + " to " + std::to_string(largest);
}

std::string headProblem(const ModelConfig &model)
{
    if (model.heads % model.kvHeads != 0)
        return "has kv_heads = " + std::to_string(model.kvHeads)
            + ", which does not divide heads = " + std::to_string(model.heads);
    if (model.position != PositionKind::rotary)
        return {};
    const double rotated = static_cast<double>(model.headSize) * model.rotaryFraction;
    if (!(model.rotaryFraction > 0.0 && model.rotaryFraction <= 1.0) || rotated < 2.0
        || static_cast<std::int64_t>(rotated) % 2 != 0)
        return "rotates " + std::to_string(rotated) + " elements of each head of size " + std::to_string(model.headSize)
            + "; rotary positions need an even number of at least 2";
    if (!(model.ropeTheta > 0.0) || !std::isfinite(model.ropeTheta))
        return "has a rotary base that is not a positive number";
    return {};
}

} // namespace

std::string shapeProblem(const ModelConfig &model)
{
    if (model.layers < 1 || model.layers > kMostLayers)
        return range("layers", model.layers, 1, kMostLayers);
    for (const SizeLimit &limit : kSizeLimits) {
        const std::int64_t value = model.*limit.member;
        if (value < limit.smallest || value > limit.largest)
            return range(limit.name, value, limit.smallest, limit.largest);
    }
    for (const double dropout : {model.embeddingDropout, model.residualDropout, model.attentionDropout})
        if (!(dropout >= 0.0 && dropout < 1.0))
            return "has a dropout of " + std::to_string(dropout) + "; allowed are 0 up to, but not including, 1";
    if (!(model.normEpsilon >= 0.0 && model.normEpsilon <= 1.0))
        return "has a norm epsilon of " + std::to_string(model.normEpsilon) + "; allowed are 0 to 1";
    if (!(model.initializerRange >= 0.0 && model.initializerRange <= 100.0))
        return "has an initializer range of " + std::to_string(model.initializerRange) + "; allowed are 0 to 100";
    if (!std::isfinite(model.embeddingScale))
        return "has an embedding scale that is not a number";
    if (model.slidingWindow < 0)
        return "has a sliding window of " + std::to_string(model.slidingWindow) + "; allowed are 0 (none) and more";
    return headProblem(model);
}

} // namespace remat::core
