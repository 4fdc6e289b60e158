// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation_function", "hidden_act"};
constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon", "rms_norm_eps"};
constexpr std::string_view kEmbeddingDropout[] = {"embed_dropout"};

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "exaone";
    table.source = "configuration_exaone.py of the model's own repository";
    table.modelTypes = {"exaone"};
    table.architectures = {"ExaoneForCausalLM", "ExaoneModel"};
    table.form = rules::rotaryForm();
    table.implied = {{"bias", "false", "no key says so: no projection of exaone has a bias"}};
    table.rules = rules::rotaryRows(
        {.positions = 2048, .epsilon = 1e-6, .epsilonKey = kEpsilon, .tied = true, .activationKey = kActivation});
    table.rules.front() = rules::layers("num_layers");
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0)});
    table.finish = [](FamilyReading &reading) { readRotaryExtras(reading); };
    return table;
}

} // namespace

const FamilyTable &exaoneFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
