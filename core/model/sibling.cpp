// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "config/model_limits.h"
#include "model/workload.h"

namespace remat::core {

namespace {

Error usage(std::string message)
{
    return {ErrorCode::usage, std::move(message)};
}

/// In whole multiples, at least one, and never more than there was.
std::int64_t scaled(std::int64_t value, double factor, std::int64_t multiple)
{
    const double steps = std::round(static_cast<double>(value) * factor / static_cast<double>(multiple));
    return std::min(value, std::max<std::int64_t>(1, static_cast<std::int64_t>(steps)) * multiple);
}

/// Gemma multiplies the embedding by the square root of the width; other factors stay.
bool scalesByWidth(const ModelConfig &model)
{
    const double root = std::sqrt(static_cast<double>(model.width));
    return std::fabs(model.embeddingScale - root) < 1e-3 * root && model.embeddingScale != 1.0;
}

void scaleHidden(ModelConfig &model, double factor)
{
    const ModelConfig before = model;
    const bool headsFillWidth = model.width == model.heads * model.headSize;
    model.kvHeads = scaled(model.kvHeads, factor, 1);
    // Query heads come in whole groups, one group per key/value head.
    model.heads = before.kvHeads == before.heads ? model.kvHeads : scaled(model.heads, factor, model.kvHeads);
    model.width = headsFillWidth ? model.heads * model.headSize : scaled(model.width, factor, model.headSize);
    model.ffnWidth = scaled(model.ffnWidth, factor, model.headSize);
    if (scalesByWidth(before))
        model.embeddingScale = std::sqrt(static_cast<double>(model.width));
    const std::string why = "scaled by " + std::to_string(factor) + " in whole heads, head size kept";
    const auto note = [&](const char *key, std::int64_t from, std::int64_t to) {
        model.derived.push_back({key, std::to_string(to), why + "; the config has " + std::to_string(from)});
    };
    note("width", before.width, model.width);
    note("heads", before.heads, model.heads);
    note("kv_heads", before.kvHeads, model.kvHeads);
    note("ffn_width", before.ffnWidth, model.ffnWidth);
    if (model.experts.count == 0)
        return;
    model.experts.width = scaled(model.experts.width, factor, model.headSize);
    note("expert_width", before.experts.width, model.experts.width);
    if (model.experts.sharedWidth == 0)
        return;
    model.experts.sharedWidth = scaled(model.experts.sharedWidth, factor, model.headSize);
    note("shared_expert_width", before.experts.sharedWidth, model.experts.sharedWidth);
}

/// The first layers of the pattern; a deeper sibling begins it again.
void setLayers(ModelConfig &model, int layers)
{
    model.derived.push_back(
        {"layers", std::to_string(layers), "asked for; the config has " + std::to_string(model.layers)});
    model.layers = layers;
    const std::vector<LayerForm> pattern = std::move(model.layerForms);
    model.layerForms.clear();
    for (std::size_t layer = 0; !pattern.empty() && layer < static_cast<std::size_t>(layers); ++layer)
        model.layerForms.push_back(pattern[layer % pattern.size()]);
}

} // namespace

Result<ModelConfig> scaledDown(ModelConfig model, int layers, double hiddenScale)
{
    if (layers < 0 || layers > kMostLayers)
        return usage("The number of layers is " + std::to_string(layers) + "; allowed are 1 to "
                     + std::to_string(kMostLayers) + ", or 0 for the config's own.");
    if (!(hiddenScale > 0.0 && hiddenScale <= 1.0))
        return usage("The hidden scale is " + std::to_string(hiddenScale) + "; allowed are numbers above 0 up to 1.");
    if (layers > 0 && layers != model.layers)
        setLayers(model, layers);
    if (hiddenScale < 1.0)
        scaleHidden(model, hiddenScale);
    if (const std::string problem = shapeProblem(model); !problem.empty())
        return usage("The smaller sibling of " + quoteText(model.name) + " " + problem + "; choose another scale.");
    return model;
}

} // namespace remat::core
