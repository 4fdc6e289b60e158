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

void finishQwen3(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readQwenWindow(reading);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen3";
    table.modelTypes = {"qwen3"};
    table.architectures = {"Qwen3ForCausalLM", "Qwen3Model"};
    table.form = rules::rotaryForm();
    table.form.qkNorm = QkNorm::headRms;
    table.implied = {{"norm of query and key heads", "true", "no key says so: qwen3 normalises every head"}};
    table.rules = rules::rotarySizes(32768);
    // The head size of this family is 128 whatever the width: heads times head size is often not the width.
    table.rules.insert(table.rules.end(),
                       {rules::headSize("head_dim", 128), rules::activation(kActivation, Activation::silu),
                        rules::normEpsilon(kEpsilon, 1e-6),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, false),
                        rules::flag(kAttentionBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias}, false)});
    table.finish = finishQwen3;
    return table;
}

} // namespace

const FamilyTable &qwen3Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
