// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_eps", "norm_eps"};
constexpr std::string_view kQkvBias[] = {"use_qkv_bias"};
constexpr std::string_view kResidualDropout[] = {"hidden_dropout"};
constexpr std::string_view kParallel[] = {"use_parallel_residual"};

void finishStablelm(FamilyReading &reading)
{
    readRotaryExtras(reading);
    if (!reading.flag("qk_layernorm", false))
        return;
    reading.model.qkNorm = QkNorm::headLayer;
    reading.derive("qk_layernorm", "true",
                   "each head has weights of its own in stablelm; one set is counted, the activations are the same");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "stablelm";
    table.source = "transformers, configuration_stablelm.py";
    table.modelTypes = {"stablelm", "stablelm_epoch"};
    table.architectures = {"StableLmForCausalLM", "StableLmModel", "StableLMEpochForCausalLM"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.normBias = true;
    table.implied = {{"bias", "false",
                      "no key says so: stablelm has biases in its norms and, by key, in query, key "
                      "and value"}};
    table.handles = {"use_parallel_residual"};
    table.rules
        = rules::rotaryRows({.positions = 4096, .epsilon = 1e-5, .epsilonKey = kEpsilon, .rotaryFraction = 0.25});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::flag(kQkvBias, {&ModelConfig::qkvBias}, false),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                   rules::flag(kParallel, {&ModelConfig::parallelResidual}, false)});
    table.finish = finishStablelm;
    return table;
}

} // namespace

const FamilyTable &stablelmFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
