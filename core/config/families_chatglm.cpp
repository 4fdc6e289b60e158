// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layernorm_epsilon"};
constexpr std::string_view kResidualDropout[] = {"hidden_dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kQkvBias[] = {"add_qkv_bias"};
constexpr std::string_view kBias[] = {"add_bias_linear"};
constexpr std::string_view kFinalNorm[] = {"post_layer_norm"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr double kBase = 10000.0;

void finishChatglm(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    if (!reading.flag("rmsnorm", true)) {
        model.norm = NormKind::layerNorm;
        model.normBias = true;
        reading.derive("rmsnorm", "false", "norms are LayerNorms");
    }
    if (!reading.flag("multi_query_attention", false)) {
        model.kvHeads = model.heads;
        reading.derive("multi_query_attention", "false", "as many key/value heads as query heads");
    }
    if (model.ffnBias)
        model.qkvBias = true;
    model.ropeTheta = kBase * reading.number("rope_ratio", 1.0, 1e-3, 1e6);
    noteInterleavedRotary(reading);
    constexpr std::string_view kFused[] = {"apply_query_key_layer_scaling",
                                           "attention_softmax_in_fp32",
                                           "bias_dropout_fusion",
                                           "fp32_residual_connection",
                                           "original_rope",
                                           "pre_seq_len",
                                           "prefix_projection",
                                           "quantization_bit"};
    for (const std::string_view key : kFused)
        if (reading.value(key) != nullptr)
            reading.ignore(key, "concerns how the library computes or serves, not what a training step holds");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "chatglm";
    table.source = "configuration_chatglm.py of the model's own repository";
    table.modelTypes = {"chatglm"};
    table.architectures = {"ChatGLMModel", "ChatGLMForConditionalGeneration"};
    table.form = rules::rotaryForm();
    table.form.rotaryFraction = 0.5;
    table.implied = {{"rotated share of each head", "0.5", "no key says so: chatglm turns half of each head"},
                     {"activation", "silu", "no key says so: the gated feed-forward half of chatglm"}};
    table.rules = {rules::layers("num_layers"),
                   rules::width("hidden_size"),
                   rules::heads("num_attention_heads"),
                   rules::kvHeads("multi_query_group_num"),
                   rules::headSize("kv_channels", 128),
                   rules::ffnWidth("ffn_hidden_size"),
                   rules::vocabulary("padded_vocab_size"),
                   rules::positions("seq_length", 2048),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                   rules::flag(kQkvBias, {&ModelConfig::qkvBias}, false),
                   rules::flag(kBias, {&ModelConfig::attentionOutBias, &ModelConfig::ffnBias}, false),
                   rules::flag(kFinalNorm, {&ModelConfig::finalNorm}, true),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, false),
                   rules::initializerRange(0.02)};
    table.finish = finishChatglm;
    return table;
}

} // namespace

const FamilyTable &chatglmFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
