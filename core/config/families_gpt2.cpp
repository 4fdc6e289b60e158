// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation_function", "hidden_act"};
constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon", "layer_norm_eps"};
constexpr std::string_view kEmbeddingDropout[] = {"embd_pdrop"};
constexpr std::string_view kResidualDropout[] = {"resid_pdrop"};
constexpr std::string_view kAttentionDropout[] = {"attn_pdrop"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};

/// Switches that change values but neither shapes nor which products a step computes.
void finishGpt2(FamilyReading &reading)
{
    if (!reading.flag("scale_attn_weights", true))
        reading.warn("scale_attn_weights", "scores are scaled by 1/sqrt(head size) here all the same");
    if (reading.flag("scale_attn_by_inverse_layer_idx", false))
        reading.warn("scale_attn_by_inverse_layer_idx", "scores are not scaled by layer here");
    if (reading.flag("reorder_and_upcast_attn", false))
        reading.warn("reorder_and_upcast_attn", "attention is not computed in another data type here");
}

ModelConfig form()
{
    ModelConfig form;
    form.qkvBias = form.attentionOutBias = form.ffnBias = form.normBias = true;
    return form;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "gpt2";
    table.source = "transformers, configuration_gpt2.py";
    table.modelTypes = {"gpt2"};
    table.architectures = {"GPT2LMHeadModel", "GPT2Model"};
    table.form = form();
    table.implied
        = {{"bias", "true", "no key says so: all projections and norms of gpt2 have biases, the head has none"}};
    table.rules = {rules::layers("n_layer"),
                   rules::width("n_embd"),
                   rules::heads("n_head"),
                   rules::kvHeads("num_key_value_heads"),
                   rules::headSizeFromWidth("head_dim"),
                   rules::ffnWidthFourfold("n_inner"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("n_positions", 1024),
                   rules::activation(kActivation, Activation::geluTanh),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.1),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.1),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.1),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, true),
                   rules::initializerRange(0.02)};
    table.finish = finishGpt2;
    return table;
}

} // namespace

const FamilyTable &gpt2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
