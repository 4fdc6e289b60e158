// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/config_values.h"

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kKvHeads[] = {"attn_config.kv_n_heads", "num_key_value_heads"};
constexpr std::string_view kClip[] = {"attn_config.clip_qkv"};
constexpr std::string_view kBase[] = {"attn_config.rope_theta", "rope_theta"};
constexpr std::string_view kAttentionDropout[] = {"attn_config.attn_pdrop"};
constexpr std::string_view kWidth[] = {"ffn_config.ffn_hidden_size"};
constexpr std::string_view kExperts[] = {"ffn_config.moe_num_experts"};
constexpr std::string_view kPerToken[] = {"ffn_config.moe_top_k"};
constexpr std::string_view kEmbeddingDropout[] = {"emb_pdrop"};
constexpr std::string_view kResidualDropout[] = {"resid_pdrop"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};

/// Keys of the two inner objects get the object's name in front: "ffn_config.moe_top_k".
Json flatten(const Json &object)
{
    Json flat = object;
    for (const std::string key : {"attn_config", "ffn_config"}) {
        const auto inner = object.find(key);
        if (inner == object.end() || !inner->is_object())
            continue;
        flat.erase(key);
        for (const auto &[name, value] : inner->items())
            if (name != "model_type")
                flat[key + "." + name] = value;
    }
    return flat;
}

void finishDbrx(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    model.ffnWidth = model.experts.width;
    if (const Json *function = reading.value("ffn_config.ffn_act_fn"); function != nullptr) {
        const auto name = function->is_object() ? function->find("name") : function->end();
        const auto activation = function->is_object() && name != function->end() ? activationFrom(*name) : std::nullopt;
        if (!activation)
            return reading.refuse("ffn_config.ffn_act_fn", kActivationList);
        model.activation = *activation;
    }
    constexpr std::string_view kPower = "ffn_config.moe_normalize_expert_weights";
    const double found = reading.number(kPower, 1.0, 0.0, 1e6);
    const double power = reading.isNull(kPower) ? 0.0 : found;
    model.experts.normaliseTopK = power > 0.0;
    if (power > 0.0 && power != 1.0)
        reading.warn(kPower, "weights are divided by their sum here");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "dbrx";
    table.source = "transformers, configuration_dbrx.py";
    table.modelTypes = {"dbrx"};
    table.architectures = {"DbrxForCausalLM", "DbrxModel"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.implied = {{"bias", "false", "no key says so: no projection and no norm of dbrx has a bias"},
                     {"norm epsilon", "1e-05", "no key says so: that of the library's LayerNorm"}};
    table.handles = {"experts"};
    table.rules = {rules::layers("n_layers"),
                   rules::width("d_model"),
                   rules::heads("n_heads"),
                   rules::kvHeads(kKvHeads[0]),
                   rules::headSizeFromWidth("head_dim"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("max_seq_len", 2048),
                   rules::ropeTheta(10000.0),
                   rules::factor(kClip, {&ModelConfig::qkvClip}, 0.0),
                   rules::experts(kWidth, &Experts::width, 3584),
                   rules::experts(kExperts, &Experts::count, 4),
                   rules::experts(kPerToken, &Experts::perToken, 1),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, false),
                   rules::initializerRange(0.02)};
    rules::setSpellings(table, kKvHeads[0], kKvHeads);
    rules::setSpellings(table, "rope_theta", kBase);
    table.flatten = flatten;
    table.finish = finishDbrx;
    return table;
}

} // namespace

const FamilyTable &dbrxFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
