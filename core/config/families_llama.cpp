// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kFfnBias[] = {"mlp_bias"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "llama";
    table.source = "transformers, configuration_llama.py";
    table.modelTypes = {"llama"};
    table.architectures = {"LlamaForCausalLM", "LlamaModel"};
    table.form = rules::rotaryForm();
    table.classSizes = rules::classSizes({32, 4096, 32, 0, 11008, 32000});
    table.rules = rules::rotaryRows({.positions = 2048, .epsilon = 1e-6});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false),
                   rules::flag(kFfnBias, {&ModelConfig::ffnBias}, false)});
    table.finish = [](FamilyReading &reading) { readRotaryExtras(reading); };
    return table;
}

} // namespace

const FamilyTable &llamaFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
