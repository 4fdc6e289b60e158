// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "model/workload.h"

namespace remat::core {

/// How a parameter starts: normal(0, initializerRange), normal scaled by 1/sqrt(2 * layers) for the projections that
/// write to the residual stream (GPT-2 paper, section 2.3), zeros, or ones.
enum class Initializer { normal, normalResidual, zeros, ones };

/// One trainable tensor. `stage` is the index in the chain that owns it; the untied head belongs to stage
/// stagesOf(model).size() (the loss). A tied head has no entry of its own.
struct Parameter
{
    std::string name; // "layers.3.attention.qkv.weight"
    std::vector<std::int64_t> shape;
    int stage = 0;
    Initializer initializer = Initializer::normal;
    bool trainable = true;

    [[nodiscard]] std::int64_t elements() const;
};

/// All parameters in the order in which the engine makes them. Cheap: nothing of that size is allocated.
/// With adapters (TrainKind::lora) the low-rank pairs stand beside their projection: "….qkv.lora_a", "….qkv.lora_b".
[[nodiscard]] std::vector<Parameter> parameterInventory(const ModelConfig &model, const TrainRule &train = {});

struct ParameterCount
{
    std::int64_t total = 0;        // tied weights once
    std::int64_t embedding = 0;    // token and learned position tables
    std::int64_t nonEmbedding = 0; // total - embedding
    std::int64_t active = 0;       // used for one token; equals total for dense models
    std::int64_t trainable = 0;
};
[[nodiscard]] ParameterCount countParameters(const ModelConfig &model, const TrainRule &train = {});

} // namespace remat::core
