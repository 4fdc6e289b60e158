// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"norm_epsilon"};
constexpr std::string_view kBias[] = {"use_bias"};
constexpr std::string_view kResidualDropout[] = {"residual_dropout"};
constexpr std::string_view kEmbeddingDropout[] = {"embedding_dropout"};

void finishStarcoder2(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, std::nullopt);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "starcoder2";
    table.source = "transformers, configuration_starcoder2.py";
    table.modelTypes = {"starcoder2"};
    table.architectures = {"Starcoder2ForCausalLM", "Starcoder2Model"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.normBias = true;
    table.form.gatedFfn = false;
    table.implied = {{"feed-forward", "not gated", "no key says so: starcoder2 has two projections there"}};
    table.rules = rules::rotaryRows(
        {.positions = 4096, .epsilon = 1e-5, .epsilonKey = kEpsilon, .tied = true, .activation = Activation::geluTanh});
    rules::append(
        table,
        {rules::headSizeFromWidth("head_dim"),
         rules::flag(kBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias, &ModelConfig::ffnBias}, true),
         rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
         rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0)});
    table.finish = finishStarcoder2;
    return table;
}

} // namespace

const FamilyTable &starcoder2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
