// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kHiddenActivation[] = {"hidden_activation"};
constexpr std::string_view kEpsilon[] = {"rms_norm_eps"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};

void finishGemma(FamilyReading &reading)
{
    readRotaryExtras(reading);
    ModelConfig &model = reading.model;
    model.embeddingScale = std::sqrt(static_cast<double>(model.width));
    reading.derive("embedding scale", std::to_string(model.embeddingScale),
                   "the square root of the width, as in gemma");
    // The library runs gemma with the tanh form whatever hidden_act says; only hidden_activation changes it.
    if (const Json *activation = reading.value("hidden_act"); activation != nullptr) {
        if (!activation->is_string())
            return reading.refuse("hidden_act",
                                  "allowed is the name of an activation, for example \"gelu_pytorch_tanh\"");
        if (*activation != "gelu_pytorch_tanh")
            reading.warn("hidden_act",
                         "overridden: gemma runs gelu_pytorch_tanh unless hidden_activation says otherwise");
    }
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "gemma";
    table.modelTypes = {"gemma"};
    table.architectures = {"GemmaForCausalLM", "GemmaModel"};
    table.form = rules::rotaryForm();
    table.form.normUnitOffset = true;
    table.implied = {{"norm weight", "1 + w", "no key says so: gemma stores the weights of its norms less one"}};
    table.rules = rules::rotarySizes(8192);
    table.rules.insert(table.rules.end(),
                       {rules::headSize("head_dim", 256), rules::activation(kHiddenActivation, Activation::geluTanh),
                        rules::normEpsilon(kEpsilon, 1e-6),
                        rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                        rules::flag(kTied, {&ModelConfig::tiedHead}, true),
                        rules::flag(kAttentionBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias}, false)});
    table.finish = finishGemma;
    return table;
}

} // namespace

const FamilyTable &gemmaFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
