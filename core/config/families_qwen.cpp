// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon"};
constexpr std::string_view kDropout[] = {"emb_dropout_prob", "embd_pdrop"};
constexpr std::string_view kAttentionDropout[] = {"attn_dropout_prob", "attn_pdrop"};
constexpr std::string_view kRotaryShare[] = {"rotary_pct"};
constexpr std::string_view kRotaryBase[] = {"rotary_emb_base"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};

/// intermediate_size counts both branches of the gated feed-forward half (modeling_qwen.py, class QWenMLP).
void finishQwen(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    if (model.ffnWidth % 2 != 0)
        return reading.refuseSentence("the feed-forward width " + std::to_string(model.ffnWidth)
                                      + " is odd; qwen gives that of both branches together");
    model.ffnWidth /= 2;
    reading.derive("intermediate_size", std::to_string(model.ffnWidth),
                   "half of what the file says, which counts both branches");
    if (!reading.flag("no_bias", true))
        model.attentionOutBias = model.ffnBias = true;
    constexpr std::string_view kNotTraining[]
        = {"use_dynamic_ntk",    "use_logn_attn",    "use_flash_attn",         "onnx_safe",      "bf16", "fp16", "fp32",
           "scale_attn_weights", "use_cache_kernel", "use_cache_quantization", "softmax_in_fp32"};
    for (const std::string_view key : kNotTraining)
        if (reading.value(key) != nullptr || reading.isNull(key))
            reading.ignore(key, "concerns longer texts than trained with, or how the library computes");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "qwen";
    table.source = "configuration_qwen.py of the model's own repository";
    table.modelTypes = {"qwen"};
    table.architectures = {"QWenLMHeadModel", "QWenModel"};
    table.form = rules::rotaryForm();
    table.form.qkvBias = true;
    table.implied = {{"bias of query, key, value", "true", "no key says so: qwen has these biases"}};
    table.rules = {rules::layers("num_hidden_layers"),
                   rules::width("hidden_size"),
                   rules::heads("num_attention_heads"),
                   rules::kvHeads("num_key_value_heads"),
                   rules::headSize("kv_channels", 128),
                   rules::ffnWidth("intermediate_size"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("max_position_embeddings", 8192),
                   rules::normEpsilon(kEpsilon, 1e-6),
                   rules::dropout(kDropout, {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout}, 0.0),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                   rules::rotaryFraction(kRotaryShare, 1.0),
                   rules::ropeTheta(10000.0),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, false),
                   rules::initializerRange(0.02)};
    rules::setSpellings(table, "rope_theta", kRotaryBase);
    table.finish = finishQwen;
    return table;
}

} // namespace

const FamilyTable &qwenFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
