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
[[nodiscard]] KeyRule rotaryFraction(keys::Aliases spellings, double fallback);
[[nodiscard]] KeyRule factor(keys::Aliases spellings, std::vector<ConfigMember> members, double fallback);
[[nodiscard]] KeyRule experts(keys::Aliases spellings, std::int64_t Experts::*member, std::int64_t fallback);

/// What differs between families with rotary positions and the usual spellings; the defaults of their classes.
struct RotaryDefaults
{
    std::int64_t positions = 2048;
    double epsilon = 1e-6;
    keys::Aliases epsilonKey = {}; // empty: rms_norm_eps
    bool tied = false;
    double theta = 10000.0;
    double rotaryFraction = 1.0;
    Activation activation = Activation::silu;
    keys::Aliases activationKey = {}; // empty: hidden_act
};

/// The rows of such a family: sizes, rotary positions, activation, norm, attention dropout, head. No row for the size
/// of a head, which each family has its own way to find.
[[nodiscard]] std::vector<KeyRule> rotaryRows(const RotaryDefaults &defaults);

/// The rows of encoders as bert and vit have them: sizes without vocabulary and positions, activation, norm, dropouts.
[[nodiscard]] std::vector<KeyRule> encoderRows(double dropouts);

/// What most of them share and no key says: RMSNorm before each half, gated feed-forward, rotary positions.
[[nodiscard]] ModelConfig rotaryForm();

/// Query, key, value and output of attention have biases or not by one key.
[[nodiscard]] KeyRule attentionBias(keys::Aliases spellings, bool fallback);

/// Sizes of a library's class, for FamilyTable::classSizes.
struct ClassSizes
{
    int layers = 0;
    std::int64_t width = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; // 0: as many as heads
    std::int64_t ffnWidth = 0;
    std::int64_t vocabulary = 0;
};
[[nodiscard]] ModelConfig classSizes(const ClassSizes &sizes);

void append(FamilyTable &table, std::vector<KeyRule> rows);

/// Another default for the row of that name, in a table that was made from another family's.
void setDefault(FamilyTable &table, std::string_view own, ConfigValue value);

/// Other spellings for the row of that name; the first becomes the family's own.
void setSpellings(FamilyTable &table, std::string_view own, keys::Aliases spellings);

} // namespace remat::core::rules
