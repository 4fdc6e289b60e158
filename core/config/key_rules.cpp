// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/key_rules.h"

#include <iterator>
#include <utility>

namespace remat::core::rules {

namespace {

constexpr std::string_view kInitializerRange[] = {"initializer_range"};
constexpr std::string_view kRopeTheta[] = {"rope_theta"};
constexpr std::string_view kRotaryFraction[] = {"partial_rotary_factor"};
constexpr std::string_view kActivation[] = {"hidden_act"};
constexpr std::string_view kEpsilon[] = {"rms_norm_eps"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::string_view kEncoderEpsilon[] = {"layer_norm_eps"};
constexpr std::string_view kHiddenDropout[] = {"hidden_dropout_prob"};
constexpr std::string_view kProbabilityDropout[] = {"attention_probs_dropout_prob"};

KeyRule size(std::string_view own, keys::Aliases spellings, ConfigMember member)
{
    KeyRule rule;
    rule.own = own;
    rule.spellings = spellings;
    rule.members = {member};
    return rule;
}

KeyRule derived(KeyRule rule, std::int64_t (*derive)(const ModelConfig &), std::string_view why)
{
    rule.whenAbsent = WhenAbsent::derive;
    rule.derive = derive;
    rule.why = why;
    return rule;
}

KeyRule assumed(KeyRule rule, ConfigValue value)
{
    rule.whenAbsent = WhenAbsent::assume;
    rule.assumed = value;
    return rule;
}

KeyRule number(keys::Aliases spellings, std::vector<ConfigMember> members, double fallback, double largest)
{
    KeyRule rule = assumed(size(spellings.front(), spellings, members.front()), fallback);
    rule.members = std::move(members);
    rule.largest = largest;
    return rule;
}

} // namespace

KeyRule layers(std::string_view own)
{
    return size(own, keys::layers(), &ModelConfig::layers);
}
KeyRule width(std::string_view own)
{
    return size(own, keys::width(), &ModelConfig::width);
}
KeyRule heads(std::string_view own)
{
    return size(own, keys::heads(), &ModelConfig::heads);
}
KeyRule ffnWidth(std::string_view own)
{
    return size(own, keys::ffnWidth(), &ModelConfig::ffnWidth);
}
KeyRule vocabulary(std::string_view own)
{
    return size(own, keys::vocabulary(), &ModelConfig::vocabulary);
}

KeyRule kvHeads(std::string_view own)
{
    return derived(
        size(own, keys::kvHeads(), &ModelConfig::kvHeads), [](const ModelConfig &m) { return m.heads; },
        "as many as query heads, as no other number is given");
}

KeyRule headSizeFromWidth(std::string_view own)
{
    return derived(
        size(own, keys::headSize(), &ModelConfig::headSize),
        [](const ModelConfig &m) { return m.width % m.heads == 0 ? m.width / m.heads : 0; }, "width divided by heads");
}

KeyRule headSize(std::string_view own, std::int64_t fallback)
{
    return assumed(size(own, keys::headSize(), &ModelConfig::headSize), fallback);
}

KeyRule ffnWidthFourfold(std::string_view own)
{
    return derived(
        ffnWidth(own), [](const ModelConfig &m) { return 4 * m.width; }, "four times the width");
}

KeyRule positions(std::string_view own, std::int64_t fallback)
{
    return assumed(size(own, keys::positions(), &ModelConfig::positions), fallback);
}

KeyRule activation(keys::Aliases spellings, Activation fallback)
{
    return assumed(size(spellings.front(), spellings, &ModelConfig::activation), fallback);
}

KeyRule normEpsilon(keys::Aliases spellings, double fallback)
{
    return number(spellings, {&ModelConfig::normEpsilon}, fallback, 1.0);
}

KeyRule dropout(keys::Aliases spellings, std::vector<ConfigMember> members, double fallback)
{
    KeyRule rule = number(spellings, std::move(members), fallback, 1.0);
    rule.belowLargest = true;
    return rule;
}

KeyRule flag(keys::Aliases spellings, std::vector<ConfigMember> members, bool fallback)
{
    KeyRule rule = assumed(size(spellings.front(), spellings, members.front()), fallback);
    rule.members = std::move(members);
    return rule;
}

KeyRule initializerRange(double fallback)
{
    return number(kInitializerRange, {&ModelConfig::initializerRange}, fallback, 100.0);
}

KeyRule ropeTheta(double fallback)
{
    KeyRule rule = number(kRopeTheta, {&ModelConfig::ropeTheta}, fallback, 1e12);
    rule.smallest = 1.0;
    return rule;
}

KeyRule rotaryFraction(keys::Aliases spellings, double fallback)
{
    return number(spellings, {&ModelConfig::rotaryFraction}, fallback, 1.0);
}

KeyRule factor(keys::Aliases spellings, std::vector<ConfigMember> members, double fallback)
{
    return number(spellings, std::move(members), fallback, 1e9);
}

KeyRule experts(keys::Aliases spellings, std::int64_t Experts::*member, std::int64_t fallback)
{
    return assumed(size(spellings.front(), spellings, member), fallback);
}

std::vector<KeyRule> rotaryRows(const RotaryDefaults &defaults)
{
    const auto orElse = [](keys::Aliases given, keys::Aliases usual) { return given.empty() ? usual : given; };
    return {layers("num_hidden_layers"),
            width("hidden_size"),
            heads("num_attention_heads"),
            kvHeads("num_key_value_heads"),
            ffnWidth("intermediate_size"),
            vocabulary("vocab_size"),
            positions("max_position_embeddings", defaults.positions),
            ropeTheta(defaults.theta),
            rotaryFraction(kRotaryFraction, defaults.rotaryFraction),
            initializerRange(0.02),
            activation(orElse(defaults.activationKey, kActivation), defaults.activation),
            normEpsilon(orElse(defaults.epsilonKey, kEpsilon), defaults.epsilon),
            dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
            flag(kTied, {&ModelConfig::tiedHead}, defaults.tied)};
}

std::vector<KeyRule> encoderRows(double dropouts)
{
    return {layers("num_hidden_layers"),
            width("hidden_size"),
            heads("num_attention_heads"),
            kvHeads("num_key_value_heads"),
            headSizeFromWidth("head_dim"),
            ffnWidth("intermediate_size"),
            activation(kActivation, Activation::gelu),
            normEpsilon(kEncoderEpsilon, 1e-12),
            dropout(kHiddenDropout, {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout}, dropouts),
            dropout(kProbabilityDropout, {&ModelConfig::attentionDropout}, dropouts),
            initializerRange(0.02)};
}

ModelConfig rotaryForm()
{
    ModelConfig form;
    form.activation = Activation::silu;
    form.gatedFfn = true;
    form.norm = NormKind::rmsNorm;
    form.normBias = false;
    form.position = PositionKind::rotary;
    return form;
}

KeyRule attentionBias(keys::Aliases spellings, bool fallback)
{
    return flag(spellings, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias}, fallback);
}

ModelConfig classSizes(const ClassSizes &sizes)
{
    ModelConfig model;
    model.layers = sizes.layers;
    model.width = sizes.width;
    model.heads = sizes.heads;
    model.kvHeads = sizes.kvHeads;
    model.ffnWidth = sizes.ffnWidth;
    model.vocabulary = sizes.vocabulary;
    return model;
}

void append(FamilyTable &table, std::vector<KeyRule> rows)
{
    table.rules.insert(table.rules.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

void setDefault(FamilyTable &table, std::string_view own, ConfigValue value)
{
    for (KeyRule &rule : table.rules)
        if (rule.own == own)
            rule.assumed = value;
}

void setSpellings(FamilyTable &table, std::string_view own, keys::Aliases spellings)
{
    for (KeyRule &rule : table.rules)
        if (rule.own == own) {
            rule.spellings = spellings;
            rule.own = spellings.front();
        }
}

} // namespace remat::core::rules
