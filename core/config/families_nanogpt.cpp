// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kDropout[] = {"dropout"};
constexpr std::string_view kBias[] = {"bias"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "nanogpt";
    table.modelTypes = {"nanogpt"};
    table.form.tiedHead = true;
    table.implied = {{"tied head", "true", "no key says so: nanoGPT uses the token table as head"},
                     {"activation", "gelu", "no key says so: nanoGPT's feed-forward half"}};
    table.rules
        = {rules::layers("n_layer"),
           rules::width("n_embd"),
           rules::heads("n_head"),
           rules::kvHeads("num_key_value_heads"),
           rules::headSizeFromWidth("head_dim"),
           rules::ffnWidthFourfold("n_inner"),
           rules::vocabulary("vocab_size"),
           rules::positions("block_size", 1024),
           rules::dropout(
               kDropout,
               {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout, &ModelConfig::attentionDropout}, 0.0),
           rules::flag(
               kBias,
               {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias, &ModelConfig::ffnBias, &ModelConfig::normBias},
               true)};
    return table;
}

} // namespace

const FamilyTable &nanogptFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
