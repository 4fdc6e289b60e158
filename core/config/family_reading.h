// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "config/family_table.h"

namespace remat::core {

/// One pass over one config with one family's table: fills the model, remembers which keys were used and keeps the
/// first thing that is wrong. Lives on the stack of the reader; the JSON must outlive it. One thread.
class FamilyReading
{
public:
    FamilyReading(const Json &object, std::string file, const FamilyTable &table);

    /// Applies rows, quirks and checks. On an error the model is not to be used.
    [[nodiscard]] Result<ModelConfig> read();

    ModelConfig model;

    /// The value of a key, nullptr when it is absent or null; marks it as used either way.
    [[nodiscard]] const Json *value(std::string_view key);
    [[nodiscard]] bool isNull(std::string_view key) const;

    /// A flag or a count under a key that no row covers; wrong kinds are refused.
    [[nodiscard]] bool flag(std::string_view key, bool assumed);
    [[nodiscard]] std::optional<std::int64_t> count(std::string_view key, std::int64_t smallest, std::int64_t largest);

    void derive(std::string_view key, std::string value, std::string why);
    void assume(std::string_view key, std::string value, std::string why);
    void ignore(std::string_view key, std::string why);
    void warn(std::string_view key, std::string why);

    /// "FILE: KEY is VALUE; ALLOWED." Only the first refusal is kept.
    void refuse(std::string_view key, std::string_view allowed);
    void refuseSentence(const std::string &rest);

private:
    void applyRule(const KeyRule &rule);
    void applyAbsent(const KeyRule &rule, bool wasNull);
    void assign(const KeyRule &rule, const std::string &key, const Json &json);
    void readNumber(const KeyRule &rule, std::string_view key, const Json &json);
    void checkShape();
    void reportRest();

    [[nodiscard]] std::string shown(std::string_view key) const;

    const Json &m_object;
    std::string m_file;
    const FamilyTable &m_table;
    std::set<std::string, std::less<>> m_used;
    std::map<std::string_view, std::string> m_winners; // a row's own spelling -> the one in the file
    std::optional<Error> m_error;
};

/// A JSON value in a sentence: at most 60 bytes of its text.
[[nodiscard]] std::string shortText(const Json &value);

/// Refuses structure that no supported family has: experts, latent attention, layers that are no attention, …
void refuseForeignStructure(FamilyReading &reading);

/// rope_scaling and rope_parameters, which several families share.
void readRotaryExtras(FamilyReading &reading);

/// sliding_window of mistral and phi3: a number counts unless it spans all positions.
void readSlidingWindow(FamilyReading &reading, std::optional<std::int64_t> assumed);

/// The qwen rule: the window counts only with use_sliding_window, and only from layer max_window_layers on.
void readQwenWindow(FamilyReading &reading);

/// quantization_config, checkpointing keys and the kind of head in `architectures`.
void readRemarks(FamilyReading &reading);

} // namespace remat::core
