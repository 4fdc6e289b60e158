// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "config/key_aliases.h"
#include "config/model_config.h"

namespace remat::core {

class FamilyReading;

/// A member of ModelConfig that a key can set.
using ConfigMember = std::variant<int ModelConfig::*, std::int64_t ModelConfig::*, double ModelConfig::*,
                                  bool ModelConfig::*, Activation ModelConfig::*>;

/// What a key may hold or stand for when it is absent; the kind must match the member's.
using ConfigValue = std::variant<std::int64_t, double, bool, Activation>;

enum class WhenAbsent { refuse, assume, derive };

/// One row of a family's table: which spellings set which members, and what holds when none of them is in the file.
/// `own` is the family's spelling, used in messages; `spellings` (own included) in the order in which they win.
struct KeyRule
{
    std::string_view own;
    keys::Aliases spellings;
    std::vector<ConfigMember> members;
    WhenAbsent whenAbsent = WhenAbsent::refuse;
    ConfigValue assumed = std::int64_t(0);
    std::int64_t (*derive)(const ModelConfig &) = nullptr;
    std::string_view why;  // of the derivation
    double smallest = 0.0; // numbers only; sizes have kSizeLimits
    double largest = 0.0;
    bool belowLargest = false; // the largest value itself is not allowed
};

/// Everything that is particular to one family. `form` holds what no key can change; `implied` says so to the user.
/// Tables are made once, are never changed, and may be read from any thread.
struct FamilyTable
{
    std::string_view name;
    std::vector<std::string_view> modelTypes;
    std::vector<std::string_view> architectures;
    ModelConfig form;
    std::vector<ConfigNote> implied;
    std::vector<KeyRule> rules;
    void (*finish)(FamilyReading &) = nullptr; // quirks that no row can say
};

/// A new family is a file that defines its table, a line here and in familyTables(), and a test.
[[nodiscard]] const FamilyTable &gpt2Family();
[[nodiscard]] const FamilyTable &llamaFamily();
[[nodiscard]] const FamilyTable &llamaParamsFamily(); // Meta's params.json
[[nodiscard]] const FamilyTable &mistralFamily();
[[nodiscard]] const FamilyTable &qwen2Family();
[[nodiscard]] const FamilyTable &qwen3Family();
[[nodiscard]] const FamilyTable &gemmaFamily();
[[nodiscard]] const FamilyTable &phi3Family();
[[nodiscard]] const FamilyTable &nanogptFamily();

[[nodiscard]] std::span<const FamilyTable *const> familyTables();

/// "gpt2, llama, …" for messages; each name once.
[[nodiscard]] std::string familyNames();

} // namespace remat::core
