// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kWidth[] = {"hidden_size", "hidden", "hidden_dim"};
constexpr std::string_view kEpsilon[] = {"norm_epsilon", "layernorm_epsilon"};
constexpr std::string_view kHiddenDropout[] = {"hidden_dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kInitializer[] = {"init_method_std"};

/// A type that llm-analysis notes beside its own keys: those of the llama kind have its blocks.
bool isLlamaLike(FamilyReading &reading)
{
    const std::string type = reading.text("model_type", "");
    return type == "llama" || type == "mistral";
}

void setBiases(ModelConfig &model, bool all)
{
    model.qkvBias = model.attentionOutBias = model.ffnBias = all;
}

/// Arguments of Megatron-LM (megatron/training/arguments.py); the other kinds of file have none of them.
void finishMegatron(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    const bool isLlama = isLlamaLike(reading);
    if (reading.flag("swiglu", isLlama)) {
        model.gatedFfn = true;
        model.activation = Activation::silu;
    }
    if (reading.flag("squared_relu", false))
        model.activation = Activation::reluSquared;
    if (reading.text("normalization", isLlama ? "RMSNorm" : "LayerNorm") == "RMSNorm") {
        model.norm = NormKind::rmsNorm;
        model.normBias = false;
    }
    const std::string kind = reading.text("position_embedding_type", isLlama ? "rope" : "learned_absolute");
    if (kind == "rope")
        model.position = PositionKind::rotary;
    else if (kind == "none")
        model.position = PositionKind::none;
    else if (kind != "learned_absolute")
        return reading.refuse("position_embedding_type", "allowed are learned_absolute, rope and none");
    model.rotaryFraction = reading.number("rotary_percent", 1.0, 1e-6, 1.0);
    model.ropeTheta = reading.number("rotary_base", model.ropeTheta, 1.0, 1e12);
    model.tiedHead = !reading.flag("untie_embeddings_and_output_weights", isLlama);
    setBiases(model, reading.flag("add_bias_linear", !isLlama) && !reading.flag("disable_bias_linear", false));
    if (reading.flag("add_qkv_bias", false))
        model.qkvBias = true;
    if (reading.value("num_query_groups") != nullptr && !reading.flag("group_query_attention", true))
        model.kvHeads = model.heads;
    reading.assume("blocks", isLlama ? "llama" : "gpt", "files of this kind give sizes; the rest is the usual form");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "megatron";
    table.source = "Megatron-LM, arguments.py";
    table.modelTypes = {"megatron"};
    table.form.normBias = true;
    table.rules = {rules::layers("num_layers"),
                   rules::width("hidden_size"),
                   rules::heads("num_attention_heads"),
                   rules::kvHeads("num_query_groups"),
                   rules::headSizeFromWidth("kv_channels"),
                   rules::ffnWidthFourfold("ffn_hidden_size"),
                   rules::vocabulary("padded_vocab_size"),
                   rules::positions("max_position_embeddings", 1024),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::dropout(kHiddenDropout, {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout}, 0.1),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.1),
                   rules::initializerRange(0.02)};
    rules::setSpellings(table, "hidden_size", kWidth);
    rules::setSpellings(table, "initializer_range", kInitializer);
    table.finish = finishMegatron;
    return table;
}

} // namespace

const FamilyTable &megatronFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
