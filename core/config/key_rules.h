// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/family_table.h"

namespace remat::core::rules {

/// Makers of the rows that many families share; `own` is the family's own spelling. Sizes without a default are
/// refused when absent: the library that made the files would fill in the size of one particular model.
[[nodiscard]] KeyRule layers(std::string_view own);
[[nodiscard]] KeyRule width(std::string_view own);
[[nodiscard]] KeyRule heads(std::string_view own);
[[nodiscard]] KeyRule kvHeads(std::string_view own);
[[nodiscard]] KeyRule headSizeFromWidth(std::string_view own);
[[nodiscard]] KeyRule headSize(std::string_view own, std::int64_t fallback);
[[nodiscard]] KeyRule ffnWidth(std::string_view own);
[[nodiscard]] KeyRule ffnWidthFourfold(std::string_view own);
[[nodiscard]] KeyRule vocabulary(std::string_view own);
[[nodiscard]] KeyRule positions(std::string_view own, std::int64_t fallback);

[[nodiscard]] KeyRule activation(keys::Aliases spellings, Activation fallback);
[[nodiscard]] KeyRule normEpsilon(keys::Aliases spellings, double fallback);
[[nodiscard]] KeyRule dropout(keys::Aliases spellings, std::vector<ConfigMember> members, double fallback);
[[nodiscard]] KeyRule flag(keys::Aliases spellings, std::vector<ConfigMember> members, bool fallback);
[[nodiscard]] KeyRule initializerRange(double fallback);
[[nodiscard]] KeyRule ropeTheta(double fallback);
[[nodiscard]] KeyRule rotaryFraction();

/// The rows that all families with rotary positions and the usual Hugging Face spellings have in common.
[[nodiscard]] std::vector<KeyRule> rotarySizes(std::int64_t fallbackPositions);

/// What those families share and no key says: RMSNorm before each half, gated feed-forward, rotary positions.
[[nodiscard]] ModelConfig rotaryForm();

} // namespace remat::core::rules
