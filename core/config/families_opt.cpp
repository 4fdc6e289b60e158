// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation_function", "hidden_act"};
constexpr std::string_view kEpsilon[] = {"layer_norm_eps"};
constexpr std::string_view kResidualDropout[] = {"dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::string_view kBias[] = {"enable_bias"};
constexpr std::string_view kNormWeight[] = {"layer_norm_elementwise_affine"};
constexpr std::string_view kInitializer[] = {"init_std", "initializer_range"};

void finishOpt(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    const auto embedded = reading.count("word_embed_proj_dim", 1, std::int64_t(1) << 18);
    if (embedded && *embedded != model.width)
        return reading.refuse("word_embed_proj_dim",
                              "an embedding of another width than the blocks, with projections between, is not "
                              "supported; allowed is the width of the blocks");
    if (!reading.flag("do_layer_norm_before", true)) {
        model.normPlacement = NormPlacement::post;
        model.finalNorm = false;
        reading.derive("do_layer_norm_before", "false", "norms stand after the sums, and none at the end");
    }
    if (reading.flag("_remove_final_layer_norm", false))
        model.finalNorm = false;
    if (reading.number("activation_dropout", 0.0, 0.0, 1.0) > 0.0)
        reading.warn("activation_dropout", "there is no dropout inside the feed-forward half here");
    if (reading.number("layerdrop", 0.0, 0.0, 1.0) > 0.0)
        reading.warn("layerdrop", "no layer is left out here");
    model.normBias = model.normWeight;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "opt";
    table.source = "transformers, configuration_opt.py";
    table.modelTypes = {"opt"};
    table.architectures = {"OPTForCausalLM", "OPTModel"};
    table.form.positionOffset = 2;
    table.implied = {{"rows of the position table", "positions + 2", "no key says so: opt leaves two rows unused"}};
    table.rules
        = {rules::layers("num_hidden_layers"),
           rules::width("hidden_size"),
           rules::heads("num_attention_heads"),
           rules::kvHeads("num_key_value_heads"),
           rules::headSizeFromWidth("head_dim"),
           rules::ffnWidth("ffn_dim"),
           rules::vocabulary("vocab_size"),
           rules::positions("max_position_embeddings", 2048),
           rules::activation(kActivation, Activation::relu),
           rules::normEpsilon(kEpsilon, 1e-5),
           rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.1),
           rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
           rules::flag(kBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias, &ModelConfig::ffnBias}, true),
           rules::flag(kNormWeight, {&ModelConfig::normWeight}, true),
           rules::flag(kTied, {&ModelConfig::tiedHead}, true),
           rules::initializerRange(0.02)};
    rules::setSpellings(table, "initializer_range", kInitializer);
    table.finish = finishOpt;
    return table;
}

} // namespace

const FamilyTable &optFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
