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

/// What is known of a config besides its keys.
struct ReadingContext
{
    bool isPart = false;         // the text part of a larger model, which may leave out what its class assumes
    std::int64_t vocabulary = 0; // asked for; 0: as the file says
};

/// One pass over one config with one family's table: fills the model, remembers which keys were used and keeps the
/// first thing that is wrong. Lives on the stack of the reader; the JSON must outlive it. One thread.
class FamilyReading
{
public:
    FamilyReading(const Json &object, std::string file, const FamilyTable &table, ReadingContext context = {});

    /// Applies rows, quirks and checks. On an error the model is not to be used.
    [[nodiscard]] Result<ModelConfig> read();

    ModelConfig model;

    /// The value of a key, nullptr when it is absent or null; marks it as used either way.
    [[nodiscard]] const Json *value(std::string_view key);
    [[nodiscard]] bool isNull(std::string_view key) const;

    /// A flag or a count under a key that no row covers; wrong kinds are refused.
    [[nodiscard]] bool flag(std::string_view key, bool assumed);
    [[nodiscard]] std::optional<std::int64_t> count(std::string_view key, std::int64_t smallest, std::int64_t largest);

    [[nodiscard]] double number(std::string_view key, double assumed, double smallest, double largest);
    [[nodiscard]] std::string text(std::string_view key, std::string_view assumed);
    [[nodiscard]] bool handles(std::string_view key) const;

    void derive(std::string_view key, std::string value, std::string why);
    void assume(std::string_view key, std::string value, std::string why);
    void ignore(std::string_view key, std::string why);
    void dropAssumed(std::string_view key); // an assumption that another key made void
    void warn(std::string_view key, std::string why);

    /// "FILE: KEY is VALUE; ALLOWED." Only the first refusal is kept.
    void refuse(std::string_view key, std::string_view allowed);
    void refuseSentence(const std::string &rest);

private:
    void applyRule(const KeyRule &rule);
    [[nodiscard]] bool takeAskedVocabulary(const KeyRule &rule);
    void refuseAbsent(const KeyRule &rule, const std::string &state);
    void applyAbsent(const KeyRule &rule, bool wasNull);
    void assign(const KeyRule &rule, const std::string &key, const Json &json);
    void readNumber(const KeyRule &rule, std::string_view key, const Json &json);
    void checkShape();
    void reportRest();

    [[nodiscard]] std::string shown(std::string_view key) const;

    const Json &m_object;
    std::string m_file;
    const FamilyTable &m_table;
    ReadingContext m_context;
    std::set<std::string, std::less<>> m_used;
    std::map<std::string_view, std::string> m_winners; // a row's own spelling -> the one in the file
    std::optional<Error> m_error;
};

/// The quirks that several families share; each reads its keys and writes the model of the reading.

/// Refuses structure that the family does not have: cross-attention, latent attention, layers that are no attention, …
void refuseForeignStructure(FamilyReading &reading);

/// rope_scaling and rope_parameters. `windowed`: layers with a window have the plain frequencies.
enum class ScalingReach { allLayers, fullLayersOnly };
void readRotaryExtras(FamilyReading &reading, ScalingReach reach = ScalingReach::allLayers);

/// sliding_window: a number counts unless it spans all positions, in the layers that layer_types names.
void readSlidingWindow(FamilyReading &reading, std::optional<std::int64_t> assumed);

/// The qwen rule: the window counts only with use_sliding_window, and only from layer max_window_layers on.
void readQwenWindow(FamilyReading &reading);

/// Windows in the layers that layer_types names, or in all but each `period`-th (the first is number 1). Returns which
/// layers have one, also where it spans all positions and so is not kept; empty where none has.
std::vector<bool> readWindowPattern(FamilyReading &reading, std::int64_t assumedWindow, std::int64_t period);

/// The same where layers that see everything have no rotary positions (exaone4, cohere2).
void readWindowsAloneTurned(FamilyReading &reading, std::int64_t assumedWindow, std::int64_t period);

/// Layers with experts: not those in mlp_only_layers, and each decoder_sparse_step-th.
void readSparseLayers(FamilyReading &reading);

/// One form per layer, filled in from what holds for all, so that single ones can be changed; and back.
std::vector<LayerForm> &spreadLayerForms(ModelConfig &model);
void tidyLayerForms(ModelConfig &model);

/// The head that `architectures` names, for encoders: masked tokens, or a class through a pooler.
void readEncoderHead(FamilyReading &reading, Activation pooler);

/// Number of classes: num_labels, or the entries of id2label; the library takes two otherwise.
[[nodiscard]] std::int64_t readClasses(FamilyReading &reading);

/// Turns two neighbours instead of two halves: a fixed permutation of the projections' columns, so nothing to measure.
void noteInterleavedRotary(FamilyReading &reading);

/// What gemma, gemma2 and gemma3 share: the scaled embedding, the activation; caps and the factor on scores.
void readGemmaEmbedding(FamilyReading &reading);
void readGemmaAttention(FamilyReading &reading, double assumedAttentionCap, double assumedFinalCap);

/// quantization_config, checkpointing keys and the kind of head in `architectures`.
void readRemarks(FamilyReading &reading);

} // namespace remat::core
