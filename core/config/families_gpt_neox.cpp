// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_eps"};
constexpr std::string_view kHiddenDropout[] = {"hidden_dropout"};
constexpr std::string_view kParallel[] = {"use_parallel_residual"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kRotaryShare[] = {"rotary_pct", "partial_rotary_factor"};
constexpr std::string_view kRotaryBase[] = {"rotary_emb_base", "rope_theta"};

void finishGptNeox(FamilyReading &reading)
{
    readRotaryExtras(reading);
    reading.model.parallelTwoNorms = reading.model.parallelResidual;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "gpt_neox";
    table.source = "transformers, configuration_gpt_neox.py";
    table.modelTypes = {"gpt_neox"};
    table.architectures = {"GPTNeoXForCausalLM", "GPTNeoXModel"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.gatedFfn = false;
    table.form.ffnBias = table.form.normBias = true;
    table.implied = {{"bias", "true",
                      "no key says so: feed-forward and norms of gpt_neox have biases, the head has "
                      "none"},
                     {"norms of a parallel block", "two", "no key says so: each of the two branches has its own"}};
    table.handles = {"use_parallel_residual"};
    table.rules = rules::rotaryRows(
        {.positions = 2048, .epsilon = 1e-5, .epsilonKey = kEpsilon, .activation = Activation::gelu});
    rules::setSpellings(table, "rope_theta", kRotaryBase);
    rules::setDefault(table, "partial_rotary_factor", 0.25);
    rules::setSpellings(table, "partial_rotary_factor", kRotaryShare);
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, true),
                   rules::dropout(kHiddenDropout, {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout}, 0.0),
                   rules::flag(kParallel, {&ModelConfig::parallelResidual}, true)});
    table.finish = finishGptNeox;
    return table;
}

} // namespace

const FamilyTable &gptNeoxFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
