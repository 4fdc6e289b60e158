// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kBias[] = {"bias"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "internlm2";
    table.source = "configuration_internlm2.py of the model's own repository";
    table.modelTypes = {"internlm2"};
    table.architectures = {"InternLM2ForCausalLM", "InternLM2Model"};
    table.form = rules::rotaryForm();
    table.classSizes = rules::classSizes({32, 4096, 32, 0, 11008, 92553});
    table.rules = rules::rotaryRows({.positions = 32768, .epsilon = 1e-6});
    rules::append(table, {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kBias, true)});
    table.finish = [](FamilyReading &reading) { readRotaryExtras(reading); };
    return table;
}

} // namespace

const FamilyTable &internlm2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
