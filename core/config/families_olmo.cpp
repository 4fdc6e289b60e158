// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kClip[] = {"clip_qkv"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "olmo";
    table.source = "transformers, configuration_olmo.py";
    table.modelTypes = {"olmo"};
    table.architectures = {"OlmoForCausalLM", "OlmoModel"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.normWeight = false;
    table.implied = {{"norms", "without weights",
                      "no key says so: the LayerNorms of olmo have no parameters, "
                      "epsilon 1e-5 (transformers, modeling_olmo.py)"}};
    table.rules = rules::rotaryRows({.positions = 2048, .epsilon = 1e-5});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false),
                   rules::factor(kClip, {&ModelConfig::qkvClip}, 0.0)});
    table.finish = [](FamilyReading &reading) { readRotaryExtras(reading); };
    return table;
}

} // namespace

const FamilyTable &olmoFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
