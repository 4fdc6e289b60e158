// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"hidden_act"};
constexpr std::string_view kEpsilon[] = {"rms_norm_eps"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kFfnBias[] = {"mlp_bias"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "llama";
    table.modelTypes = {"llama"};
    table.architectures = {"LlamaForCausalLM", "LlamaModel"};
    table.form = rules::rotaryForm();
    table.rules = rules::rotarySizes(2048);
    table.rules.insert(table.rules.end(),
                       {rules::headSizeFromWidth("head_dim"), rules::activation(kActivation, Activation::silu),
                        rules::normEpsilon(kEpsilon, 1e-6),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, false),
                        rules::flag(kAttentionBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias}, false),
                        rules::flag(kFfnBias, {&ModelConfig::ffnBias}, false)});
    table.finish = readRotaryExtras;
    return table;
}

} // namespace

const FamilyTable &llamaFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
