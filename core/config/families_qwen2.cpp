// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

void finishQwen2(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readQwenWindow(reading);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen2";
    table.source = "transformers, configuration_qwen2.py";
    table.modelTypes = {"qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"};
    table.architectures = {"Qwen2ForCausalLM", "Qwen2Model"};
    table.form = rules::rotaryForm();
    table.form.qkvBias = true;
    table.classSizes = rules::classSizes({32, 4096, 32, 32, 22016, 151936});
    table.implied = {{"bias of query, key, value", "true", "no key says so: qwen2 has these biases and no others"}};
    table.rules = rules::rotaryRows({.positions = 32768, .epsilon = 1e-6});
    rules::append(table, {rules::headSizeFromWidth("head_dim")});
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
