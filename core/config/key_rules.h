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
[[nodiscard]] KeyRule headSize(std::string_view own, std::int64_t assumed);
[[nodiscard]] KeyRule ffnWidth(std::string_view own);
[[nodiscard]] KeyRule ffnWidthFourfold(std::string_view own);
[[nodiscard]] KeyRule vocabulary(std::string_view own);
[[nodiscard]] KeyRule positions(std::string_view own, std::int64_t assumed);

[[nodiscard]] KeyRule activation(keys::Aliases spellings, Activation assumed);
[[nodiscard]] KeyRule normEpsilon(keys::Aliases spellings, double assumed);
[[nodiscard]] KeyRule dropout(keys::Aliases spellings, std::vector<ConfigMember> members, double assumed);
[[nodiscard]] KeyRule flag(keys::Aliases spellings, std::vector<ConfigMember> members, bool assumed);
[[nodiscard]] KeyRule initializerRange(double assumed);
[[nodiscard]] KeyRule ropeTheta(double assumed);
[[nodiscard]] KeyRule rotaryFraction();

/// The rows that all families with rotary positions and the usual Hugging Face spellings have in common.
[[nodiscard]] std::vector<KeyRule> rotarySizes(std::int64_t assumedPositions);

/// What those families share and no key says: RMSNorm before each half, gated feed-forward, rotary positions.
[[nodiscard]] ModelConfig rotaryForm();

} // namespace remat::core::rules
