// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/model_config.h"

namespace remat::core {

/// The language model inside a config of several parts.
struct TextPart
{
    Json object;        // its keys, with what only the outer level says (tied head, quantisation, vocabulary)
    std::string type;   // its model_type; where it has none, the usual one for this kind of model, or empty
    std::string reason; // the sentence for the user
    std::vector<ConfigNote> derived;
    std::vector<ConfigNote> ignored; // outer keys
};

/// Looks under text_config, language_config, llm_config and model, in this order; nullopt for a plain config.
[[nodiscard]] std::optional<TextPart> findTextPart(const Json &object);

/// The sentence about a config whose text keys stand beside an object for images or sound; empty for a plain config.
[[nodiscard]] std::string flatPartReason(const Json &object);

} // namespace remat::core
