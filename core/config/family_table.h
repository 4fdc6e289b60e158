// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "config/key_aliases.h"
#include "config/model_config.h"

namespace remat::core {

class FamilyReading;

/// A member of ModelConfig, or of its mixture of experts, that a key can set.
using ConfigMember
    = std::variant<int ModelConfig::*, std::int64_t ModelConfig::*, double ModelConfig::*, bool ModelConfig::*,
                   Activation ModelConfig::*, std::int64_t Experts::*, bool Experts::*>;

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
    std::string_view source; // where the defaults were read: "transformers, configuration_llama.py"
    std::vector<std::string_view> modelTypes;
    std::vector<std::string> architectures;
    ModelConfig form;
    ModelConfig
        classSizes; // what the library takes for sizes that a text part of a larger model leaves out; 0: nothing
    std::vector<ConfigNote> implied;
    std::vector<KeyRule> rules;
    std::vector<std::string_view> handles;     // keys of foreign structure that this family's `finish` reads
    void (*finish)(FamilyReading &) = nullptr; // quirks that no row can say
    Json (*flatten)(const Json &) = nullptr;   // lifts keys of nested objects to "object.key"
};

/// A new family is a file that defines its table, a line in family_list.h and a test.
[[nodiscard]] std::span<const FamilyTable *const> familyTables();

/// "gpt2, llama, …" for messages; each name once.
[[nodiscard]] std::string familyNames();

} // namespace remat::core
