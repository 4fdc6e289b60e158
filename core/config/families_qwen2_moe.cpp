// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kExperts[] = {"num_experts", "num_local_experts"};
constexpr std::string_view kPerToken[] = {"num_experts_per_tok"};
constexpr std::string_view kExpertWidth[] = {"moe_intermediate_size"};
constexpr std::string_view kSharedWidth[] = {"shared_expert_intermediate_size"};
constexpr std::string_view kNormalised[] = {"norm_topk_prob"};
constexpr std::string_view kBias[] = {"qkv_bias"};

void finishQwen2Moe(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readQwenWindow(reading);
    readSparseLayers(reading);
    reading.model.experts.sharedGate = reading.model.experts.sharedWidth > 0;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen2_moe";
    table.source = "transformers, configuration_qwen2_moe.py";
    table.modelTypes = {"qwen2_moe"};
    table.architectures = {"Qwen2MoeForCausalLM", "Qwen2MoeModel"};
    table.form = rules::rotaryForm();
    table.implied = {{"shared expert", "gated", "no key says so: qwen2_moe multiplies it by a sigmoid"}};
    table.handles = {"experts"};
    table.rules = rules::rotaryRows({.positions = 32768, .epsilon = 1e-6});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::flag(kBias, {&ModelConfig::qkvBias}, true),
                   rules::experts(kExperts, &Experts::count, 60), rules::experts(kPerToken, &Experts::perToken, 4),
                   rules::experts(kExpertWidth, &Experts::width, 1408),
                   rules::experts(kSharedWidth, &Experts::sharedWidth, 5632),
                   rules::flag(kNormalised, {&Experts::normaliseTopK}, false)});
    table.finish = finishQwen2Moe;
    return table;
}

} // namespace

const FamilyTable &qwen2MoeFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
