// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/stage.h"

namespace remat::core {

std::vector<Stage> stagesOf(const ModelConfig &model)
{
    std::vector<Stage> stages;
    stages.reserve(2 * static_cast<std::size_t>(model.layers) + 2);
    stages.push_back({StageKind::embedding, -1});
    for (int layer = 0; layer < model.layers; ++layer) {
        stages.push_back({StageKind::attention, layer});
        stages.push_back({StageKind::feedForward, layer});
    }
    stages.push_back({StageKind::finalNorm, -1});
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

std::string_view toString(StageKind kind)
{
    switch (kind) {
    case StageKind::embedding:
        return "embedding";
    case StageKind::attention:
        return "attention";
    case StageKind::feedForward:
        return "feed-forward";
    case StageKind::finalNorm:
        return "final norm";
    }
    return "unknown";
}

} // namespace remat::core
