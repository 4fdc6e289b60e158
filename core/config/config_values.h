// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "config/family_table.h"

namespace remat::core {

/// Values between a config's JSON and the members of ModelConfig. Pure functions.

[[nodiscard]] std::optional<Activation> activationFrom(const Json &json);
[[nodiscard]] std::string_view activationName(Activation activation);
inline constexpr std::string_view kActivationList = "allowed are gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, "
                                                    "gelu_tanh, silu, swish, relu, relu2 and tanh";

/// Whole numbers, also when written as floats: 768.0.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(const Json &json);

/// Null, false, 0, or an empty list, object or text: nothing is asked for.
[[nodiscard]] bool isUnset(const Json &json);
[[nodiscard]] bool isText(const Json &json, std::string_view text);

[[nodiscard]] std::string plainNumber(double value);
[[nodiscard]] std::string describe(const ConfigValue &value);
void store(ModelConfig &model, const ConfigMember &member, const ConfigValue &value);

/// Smallest and largest value of a whole-number row, and the sentence about them.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> sizeRange(const ConfigMember &member);
[[nodiscard]] std::string wholeRange(std::int64_t smallest, std::int64_t largest);
[[nodiscard]] bool isWholeNumber(const ConfigMember &member);

/// The value of a size in another model; 0 where the member is none.
[[nodiscard]] std::int64_t sizeIn(const ModelConfig &model, const ConfigMember &member);

/// A JSON value in a sentence: at most 60 bytes of its text.
[[nodiscard]] std::string shortText(const Json &value);

} // namespace remat::core
