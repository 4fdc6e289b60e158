// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kExperts[] = {"num_experts", "num_local_experts"};
constexpr std::string_view kPerToken[] = {"num_experts_per_tok"};
constexpr std::string_view kExpertWidth[] = {"moe_intermediate_size"};
constexpr std::string_view kNormalised[] = {"norm_topk_prob"};

void finishQwen3Moe(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readQwenWindow(reading);
    readSparseLayers(reading);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen3_moe";
    table.source = "transformers, configuration_qwen3_moe.py";
    table.modelTypes = {"qwen3_moe", "qwen3_vl_moe_text"};
    table.architectures = {"Qwen3MoeForCausalLM", "Qwen3MoeModel"};
    table.form = rules::rotaryForm();
    table.form.qkNorm = QkNorm::headRms;
    table.implied = {{"norm of query and key heads", "true", "no key says so: qwen3_moe normalises every head"}};
    table.handles = {"experts"};
    table.rules = rules::rotaryRows({.positions = 32768, .epsilon = 1e-6});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false),
                   rules::experts(kExperts, &Experts::count, 128), rules::experts(kPerToken, &Experts::perToken, 8),
                   rules::experts(kExpertWidth, &Experts::width, 768),
                   rules::flag(kNormalised, {&Experts::normaliseTopK}, false)});
    table.finish = finishQwen3Moe;
    return table;
}

} // namespace

const FamilyTable &qwen3MoeFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
