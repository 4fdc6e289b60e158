// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model_config.h"

namespace remat::core {

enum class StageKind { embedding, attention, feedForward, finalNorm };

/// One stage of the chain: the smallest unit the executor runs and may recompute. Head and loss are the Loss op and no
/// stage. `layer` counts blocks from 0; -1 for embedding and final norm.
struct Stage
{
    StageKind kind = StageKind::embedding;
    int layer = -1;
};

/// The chain of a model: embedding, (attention, feed-forward) per block, final norm; 2 * layers + 2 stages.
[[nodiscard]] std::vector<Stage> stagesOf(const ModelConfig &model);

/// Blocks [first, last] as stage ranges; stages of block b are 1 + 2b and 2 + 2b.
[[nodiscard]] constexpr int firstStageOfLayer(int layer)
{
    return 1 + 2 * layer;
}

/// "embedding", "layer 3 · attention", "layer 3 · feed-forward", "final norm"; for an index past the end "head and loss".
[[nodiscard]] std::string stageName(const std::vector<Stage> &stages, int stage);

[[nodiscard]] std::string_view toString(StageKind kind);

} // namespace remat::core
