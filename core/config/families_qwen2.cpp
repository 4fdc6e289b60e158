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

void finishQwen2(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readQwenWindow(reading);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen2";
    table.modelTypes = {"qwen2"};
    table.architectures = {"Qwen2ForCausalLM", "Qwen2Model"};
    table.form = rules::rotaryForm();
    table.form.qkvBias = true;
    table.implied = {{"bias of query, key, value", "true", "no key says so: qwen2 has these biases and no others"}};
    table.rules = rules::rotarySizes(32768);
    table.rules.insert(table.rules.end(),
                       {rules::headSizeFromWidth("head_dim"), rules::activation(kActivation, Activation::silu),
                        rules::normEpsilon(kEpsilon, 1e-6),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, false)});
    table.finish = finishQwen2;
    return table;
}

} // namespace

const FamilyTable &qwen2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
