// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/config_values.h"

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kExperts[] = {"n_routed_experts"};
constexpr std::string_view kPerToken[] = {"num_experts_per_tok"};
constexpr std::string_view kExpertWidth[] = {"moe_intermediate_size"};
constexpr std::string_view kNormalised[] = {"norm_topk_prob"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};

void refuseLatent(FamilyReading &reading)
{
    constexpr std::string_view kWhy = "its attention keeps keys and values as one latent vector (multi-head latent "
                                      "attention), which is not run here";
    for (const std::string_view key : {"kv_lora_rank", "q_lora_rank"})
        if (const Json *rank = reading.value(key); rank != nullptr && !isUnset(*rank))
            return reading.refuse(key, kWhy);
    if (reading.text("model_type", "") == "deepseek_v2" && reading.flag("use_mla", true))
        return reading.refuse("model_type", kWhy);
    for (const std::string_view key : {"qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "use_mla"})
        if (const Json *size = reading.value(key); size != nullptr && isUnset(*size))
            reading.ignore(key, "0 and false are read as not used");
}

/// Only the plain choice of experts is run: the best of a softmax, without groups and without another factor.
void refuseOtherRouting(FamilyReading &reading)
{
    if (reading.text("scoring_func", "softmax") != "softmax")
        return reading.refuse("scoring_func", "experts are chosen by a softmax here; allowed is \"softmax\"");
    if (reading.number("routed_scaling_factor", 1.0, 0.0, 1e6) != 1.0)
        return reading.refuse("routed_scaling_factor", "the experts' sum is not multiplied here; allowed is 1.0");
    const std::string method = reading.text("topk_method", "greedy");
    if (method != "greedy" && reading.count("n_group", 1, 4096).value_or(1) > 1)
        return reading.refuse("topk_method", "experts are not chosen in groups here; allowed is \"greedy\"");
    for (const std::string_view key : {"n_group", "topk_group"})
        if (reading.value(key) != nullptr)
            reading.ignore(key, "experts are chosen from all of them");
}

void finishDeepseek(FamilyReading &reading)
{
    refuseLatent(reading);
    refuseOtherRouting(reading);
    readRotaryExtras(reading);
    ModelConfig &model = reading.model;
    if (model.experts.count == 0)
        return reading.derive("n_routed_experts", "0", "no experts: all layers are dense");
    const std::int64_t shared = reading.count("n_shared_experts", 0, 4096).value_or(0);
    model.experts.sharedWidth = shared * model.experts.width;
    const std::int64_t firstDense = reading.count("first_k_dense_replace", 0, 4096).value_or(0);
    const std::int64_t step = reading.count("moe_layer_freq", 1, 4096).value_or(1);
    std::vector<LayerForm> &forms = spreadLayerForms(model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer) {
        const auto index = static_cast<std::int64_t>(layer);
        forms[layer].experts = index >= firstDense && index % step == 0;
    }
    reading.derive("n_shared_experts", std::to_string(model.experts.sharedWidth),
                   "shared experts are one dense half of their widths together");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "deepseek";
    table.source = "configuration_deepseek.py of the model's own repository";
    table.modelTypes = {"deepseek", "deepseek_v2"};
    table.architectures = {"DeepseekForCausalLM", "DeepseekV2ForCausalLM"};
    table.form = rules::rotaryForm();
    table.handles = {"experts", "kv_lora_rank", "q_lora_rank"};
    table.rules = rules::rotaryRows({.positions = 2048, .epsilon = 1e-6});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false),
                   rules::experts(kExperts, &Experts::count, 0), rules::experts(kPerToken, &Experts::perToken, 0),
                   rules::experts(kExpertWidth, &Experts::width, 1407),
                   rules::flag(kNormalised, {&Experts::normaliseTopK}, false)});
    table.finish = finishDeepseek;
    return table;
}

} // namespace

const FamilyTable &deepseekFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
