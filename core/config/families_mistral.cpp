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
constexpr std::int64_t kDefaultWindow = 4096;

void finishMistral(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, kDefaultWindow);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "mistral";
    table.modelTypes = {"mistral"};
    table.architectures = {"MistralForCausalLM", "MistralModel"};
    table.form = rules::rotaryForm();
    table.implied = {{"bias", "false", "no key says so: no projection of mistral has a bias"}};
    table.rules = rules::rotarySizes(131072);
    table.rules.insert(table.rules.end(),
                       {rules::headSizeFromWidth("head_dim"), rules::activation(kActivation, Activation::silu),
                        rules::normEpsilon(kEpsilon, 1e-6),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, false)});
    table.finish = finishMistral;
    return table;
}

} // namespace

const FamilyTable &mistralFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
