// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model_config.h"

namespace remat::core {

/// `block` is a whole block whose two halves run in parallel; `finalNorm` is the last stage of every chain: the final norm
/// and, for encoders, what turns the last block's output into the head's input (transform or pooler).
enum class StageKind { embedding, attention, feedForward, block, finalNorm };

/// One stage of the chain: the smallest unit the executor runs and may recompute. Head and loss are the Loss op and no
/// stage. `layer` counts blocks from 0; -1 for embedding and final norm.
struct Stage
{
    StageKind kind = StageKind::embedding;
    int layer = -1;
};

/// The skeleton of a chain, all that strategies need to know of a model: embedding, one or two stages per block, final
/// norm. Converts from a number of layers: two stages each, everything trainable.
struct ChainShape
{
    int layers = 0;
    int stagesPerLayer = 2;
    int firstTrainable = 0; // stages below this one have no gradient and are only run forward

    constexpr ChainShape() = default;
    constexpr ChainShape(int blocks, int perLayer = 2, int first = 0) // NOLINT(google-explicit-constructor)
        : layers(blocks), stagesPerLayer(perLayer), firstTrainable(first)
    {
    }

    [[nodiscard]] constexpr int stages() const { return stagesPerLayer * layers + 2; }
    [[nodiscard]] constexpr int finalStage() const { return stages() - 1; }
    /// Stages of block b are [firstStageOf(b), firstStageOf(b + 1)).
    [[nodiscard]] constexpr int firstStageOf(int layer) const { return 1 + stagesPerLayer * layer; }
    /// The block of a stage; -1 for embedding, final norm and anything outside.
    [[nodiscard]] constexpr int layerOf(int stage) const
    {
        return stage >= 1 && stage < finalStage() ? (stage - 1) / stagesPerLayer : -1;
    }
    [[nodiscard]] constexpr StageKind kindOf(int stage) const
    {
        if (layerOf(stage) < 0)
            return stage == 0 ? StageKind::embedding : StageKind::finalNorm;
        if (stagesPerLayer == 1)
            return StageKind::block;
        return (stage - 1) % 2 == 0 ? StageKind::attention : StageKind::feedForward;
    }

    friend constexpr bool operator==(const ChainShape &, const ChainShape &) = default;
};

/// The shape of a model's chain where everything is trained; chainShape(model, workload) knows about frozen parts.
[[nodiscard]] ChainShape chainShape(const ModelConfig &model);

[[nodiscard]] std::vector<Stage> stagesOf(const ChainShape &shape);
[[nodiscard]] inline std::vector<Stage> stagesOf(const ModelConfig &model)
{
    return stagesOf(chainShape(model));
}

/// "embedding", "layer 3 · attention", "layer 3 · feed-forward", "layer 3 · block", "final norm"; for an index past the end
/// "head and loss".
[[nodiscard]] std::string stageName(const std::vector<Stage> &stages, int stage);

/// The names of all stages of a chain, and of the loss behind them.
[[nodiscard]] std::vector<std::string> stageNames(const ChainShape &shape);

[[nodiscard]] std::string_view toString(StageKind kind);

} // namespace remat::core
