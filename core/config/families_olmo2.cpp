// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kAttentionBias[] = {"attention_bias"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "olmo2";
    table.source = "transformers, configuration_olmo2.py";
    table.modelTypes = {"olmo2"};
    table.architectures = {"Olmo2ForCausalLM", "Olmo2Model"};
    table.form = rules::rotaryForm();
    table.form.normPlacement = NormPlacement::branch;
    table.form.qkNorm = QkNorm::wholeRms;
    table.implied = {{"norm placement", "branch", "no key says so: olmo2 normalises what each half adds"},
                     {"norm of query and key", "all heads together", "no key says so: olmo2 has one norm for each"}};
    table.rules = rules::rotaryRows({.positions = 2048, .epsilon = 1e-5});
    rules::append(table, {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false)});
    table.finish = [](FamilyReading &reading) { readRotaryExtras(reading); };
    return table;
}

} // namespace

const FamilyTable &olmo2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
