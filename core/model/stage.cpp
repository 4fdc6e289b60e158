// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/stage.h"

namespace remat::core {

ChainShape chainShape(const ModelConfig &model)
{
    return {model.layers, model.parallelResidual ? 1 : 2};
}

std::vector<Stage> stagesOf(const ChainShape &shape)
{
    std::vector<Stage> stages;
    stages.reserve(static_cast<std::size_t>(shape.stages()));
    for (int stage = 0; stage < shape.stages(); ++stage)
        stages.push_back({shape.kindOf(stage), shape.layerOf(stage)});
    return stages;
}

std::string stageName(const std::vector<Stage> &stages, int stage)
{
    if (stage < 0 || static_cast<std::size_t>(stage) >= stages.size())
        return "head and loss";
    const Stage &entry = stages[static_cast<std::size_t>(stage)];
    const std::string kind(toString(entry.kind));
    return entry.layer < 0 ? kind : "layer " + std::to_string(entry.layer) + " · " + kind;
}

std::vector<std::string> stageNames(const ChainShape &shape)
{
    const auto stages = stagesOf(shape);
    std::vector<std::string> names;
    for (int i = 0; i <= shape.stages(); ++i)
        names.push_back(stageName(stages, i));
    return names;
}

std::string_view toString(StageKind kind)
{
    switch (kind) {
    case StageKind::embedding:
        return "embedding";
    case StageKind::attention:
        return "attention";
    case StageKind::feedForward:
        return "feed-forward";
    case StageKind::block:
        return "block";
    case StageKind::finalNorm:
        return "final norm";
    }
    return "unknown";
}

} // namespace remat::core
