// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/model_config.h"

namespace remat::core {

/// Smallest and largest value that a size may have. Far above any known model, and low enough that no product of them
/// leaves 64 bits and no list made from them is large.
struct SizeLimit
{
    std::string_view name; // as the normalised config spells it: "kv_heads"
    std::int64_t ModelConfig::*member;
    std::int64_t smallest;
    std::int64_t largest;
};

inline constexpr int kMostLayers = 4096;
inline constexpr SizeLimit kSizeLimits[] = {
    {"width", &ModelConfig::width, 1, 1 << 18},
    {"heads", &ModelConfig::heads, 1, 4096},
    {"kv_heads", &ModelConfig::kvHeads, 1, 4096},
    {"head_size", &ModelConfig::headSize, 1, 8192},
    {"ffn_width", &ModelConfig::ffnWidth, 1, 1 << 21},
    {"vocabulary", &ModelConfig::vocabulary, 2, 1 << 24},
    {"positions", &ModelConfig::positions, 1, 1 << 27},
    {"position_offset", &ModelConfig::positionOffset, 0, 4096},
    {"token_types", &ModelConfig::tokenTypes, 0, 1 << 16},
    {"classes", &ModelConfig::classes, 0, 1 << 20},
    {"patch_size", &ModelConfig::patchSize, 0, 1024},
    {"channels", &ModelConfig::channels, 0, 1024},
    {"sliding_window", &ModelConfig::slidingWindow, 0, std::int64_t(1) << 40},
};

inline constexpr std::int64_t kMostExperts = 4096;
inline constexpr std::size_t kMostFactors = 4096; // one per rotated pair of a head

/// What is wrong with a model's numbers, as the rest of a sentence about it ("has kv_heads = 3, which does not divide
/// heads = 8"); empty when all is well. Nothing may be computed from a model before this was asked.
[[nodiscard]] std::string shapeProblem(const ModelConfig &model);

} // namespace remat::core
