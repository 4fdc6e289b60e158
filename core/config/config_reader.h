// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/model_config.h"

namespace remat::core {

/// Reads a model config: a Hugging Face config.json of the families gpt2, llama, mistral, qwen2, qwen3, gemma, phi3, or
/// the plain nanoGPT style, or a folder that holds a config.json. `family` overrides what the file says or lacks.
/// Every refusal is one sentence with file, key, value and what is allowed. Nothing larger than the file (at most
/// 8 MiB) is allocated.
[[nodiscard]] Result<ModelConfig> readModelConfig(const std::string &path, const std::string &family = {});

/// The same for text in memory; `name` names it in messages and in the result.
[[nodiscard]] Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name,
                                                   const std::string &family = {});

} // namespace remat::core
