// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_eps"};
constexpr std::string_view kEmbeddingDropout[] = {"embd_pdrop"};
constexpr std::string_view kResidualDropout[] = {"resid_pdrop"};

void finishPhi(FamilyReading &reading)
{
    readRotaryExtras(reading);
    if (reading.flag("qk_layernorm", false)) {
        reading.model.qkNorm = QkNorm::headLayer;
        reading.warn("qk_layernorm", "the biases of these norms are left out");
    }
    if (reading.value("attention_bias") != nullptr)
        reading.ignore("attention_bias", "all projections of phi have biases, whatever this key says");
    if (reading.value("rotary_dim") != nullptr)
        reading.ignore("rotary_dim", "partial_rotary_factor says it");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "phi";
    table.source = "transformers, configuration_phi.py";
    table.modelTypes = {"phi"};
    table.architectures = {"PhiForCausalLM", "PhiModel"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.gatedFfn = false;
    table.form.parallelResidual = true;
    table.form.qkvBias = table.form.attentionOutBias = table.form.ffnBias = true;
    table.form.normBias = table.form.headBias = true;
    table.implied = {{"block", "parallel",
                      "no key says so: attention and feed-forward of phi share one norm and run in "
                      "parallel"},
                     {"bias", "true", "no key says so: all projections, norms and the head of phi have biases"}};
    table.rules = rules::rotaryRows({.positions = 2048,
                                     .epsilon = 1e-5,
                                     .epsilonKey = kEpsilon,
                                     .rotaryFraction = 0.5,
                                     .activation = Activation::geluTanh});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0)});
    table.finish = finishPhi;
    return table;
}

} // namespace

const FamilyTable &phiFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
