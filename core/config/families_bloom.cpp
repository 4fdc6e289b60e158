// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon"};
constexpr std::string_view kResidualDropout[] = {"hidden_dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};

ModelConfig form()
{
    ModelConfig form;
    form.activation = Activation::geluTanh;
    form.position = PositionKind::alibi;
    form.embeddingNorm = true;
    form.qkvBias = form.attentionOutBias = form.ffnBias = form.normBias = true;
    return form;
}

void finishBloom(FamilyReading &reading)
{
    constexpr std::string_view kFused[]
        = {"attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion", "skip_bias_add",
           "skip_bias_add_qkv",         "slow_but_exact",      "unk_token_id",          "offset_alibi"};
    for (const std::string_view key : kFused)
        if (reading.value(key) != nullptr)
            reading.ignore(key, "concerns how the library computes, not what");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "bloom";
    table.source = "transformers, configuration_bloom.py";
    table.modelTypes = {"bloom"};
    table.architectures = {"BloomForCausalLM", "BloomModel"};
    table.form = form();
    table.implied = {{"bias", "true", "no key says so: all projections and norms of bloom have biases"},
                     {"positions", "alibi", "no key says so: bloom lowers scores by the distance"},
                     {"embedding norm", "true", "no key says so: bloom normalises the embedding"},
                     {"activation", "gelu_tanh", "no key says so: bloom has this form"}};
    table.rules = {rules::layers("n_layer"),
                   rules::width("hidden_size"),
                   rules::heads("n_head"),
                   rules::kvHeads("num_key_value_heads"),
                   rules::headSizeFromWidth("head_dim"),
                   rules::ffnWidthFourfold("n_inner"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("seq_length", 2048),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, true),
                   rules::initializerRange(0.02)};
    table.finish = finishBloom;
    return table;
}

} // namespace

const FamilyTable &bloomFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
