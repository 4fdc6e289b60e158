// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"hidden_act"};
constexpr std::string_view kEpsilon[] = {"rms_norm_eps"};
constexpr std::string_view kEmbeddingDropout[] = {"embd_pdrop"};
constexpr std::string_view kResidualDropout[] = {"resid_pdrop"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};

void finishPhi3(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, std::nullopt);
    if (reading.flag("attention_bias", false))
        reading.warn("attention_bias", "overridden: no projection of phi3 has a bias");
    else if (reading.value("attention_bias") != nullptr)
        reading.ignore("attention_bias", "no projection of phi3 has a bias");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "phi3";
    table.modelTypes = {"phi3"};
    table.architectures = {"Phi3ForCausalLM", "Phi3Model"};
    table.form = rules::rotaryForm();
    table.implied = {{"bias", "false", "no key says so: no projection of phi3 has a bias"}};
    table.rules = rules::rotarySizes(4096);
    table.rules.insert(table.rules.end(),
                       {rules::headSizeFromWidth("head_dim"), rules::activation(kActivation, Activation::silu),
                        rules::normEpsilon(kEpsilon, 1e-5),
                        rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0),
                        rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, false)});
    table.finish = finishPhi3;
    return table;
}

} // namespace

const FamilyTable &phi3Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
