// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/model_config.h"

namespace remat::core {

/// What the user says besides the file.
struct ReadOptions
{
    std::string family;          // overrides what the file says or lacks
    std::int64_t vocabulary = 0; // for files that give none; 0: as the file says
};

/// Reads a model config: a Hugging Face config.json of the families that familyNames() lists, the text part of a config
/// of several parts, a plain file of the nanoGPT, Meta, OpenAI, Megatron, Calculon or llm-analysis style, or a folder
/// that holds a config.json. Every refusal is one sentence with file, key, value and what is allowed. Nothing larger
/// than the file (at most 8 MiB) is allocated.
[[nodiscard]] Result<ModelConfig> readModelConfig(const std::string &path, const ReadOptions &options);
[[nodiscard]] Result<ModelConfig> readModelConfig(const std::string &path, const std::string &family = {});

/// The same for text in memory; `name` names it in messages and in the result.
[[nodiscard]] Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name,
                                                   const ReadOptions &options);
[[nodiscard]] Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name,
                                                   const std::string &family = {});

} // namespace remat::core
