// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

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
    table.source = "transformers, configuration_qwen3.py";
    table.modelTypes = {"qwen3", "qwen3_vl_text"};
    table.architectures = {"Qwen3ForCausalLM", "Qwen3Model"};
    table.form = rules::rotaryForm();
    table.form.qkNorm = QkNorm::headRms;
    table.classSizes = rules::classSizes({32, 4096, 32, 32, 22016, 151936});
    table.implied = {{"norm of query and key heads", "true", "no key says so: qwen3 normalises every head"}};
    table.rules = rules::rotaryRows({.positions = 32768, .epsilon = 1e-6});
    // The head size of this family is 128 whatever the width: heads times head size is often not the width.
    rules::append(table, {rules::headSize("head_dim", 128), rules::attentionBias(kAttentionBias, false)});
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
