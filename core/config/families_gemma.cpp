// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kHiddenActivation[] = {"hidden_activation"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};

void finishGemma(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readGemmaEmbedding(reading);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "gemma";
    table.source = "transformers, configuration_gemma.py";
    table.modelTypes = {"gemma"};
    table.architectures = {"GemmaForCausalLM", "GemmaModel"};
    table.form = rules::rotaryForm();
    table.form.normUnitOffset = true;
    table.classSizes = rules::classSizes({28, 3072, 16, 16, 24576, 256000});
    table.implied = {{"norm weight", "1 + w", "no key says so: gemma stores the weights of its norms less one"}};
    table.rules = rules::rotaryRows({.positions = 8192,
                                     .epsilon = 1e-6,
                                     .tied = true,
                                     .activation = Activation::geluTanh,
                                     .activationKey = kHiddenActivation});
    rules::append(table, {rules::headSize("head_dim", 256), rules::attentionBias(kAttentionBias, false)});
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
