// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kExperts[] = {"num_local_experts", "num_experts"};
constexpr std::string_view kPerToken[] = {"num_experts_per_tok"};

void finishMixtral(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, std::nullopt);
    reading.model.experts.width = reading.model.ffnWidth;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "mixtral";
    table.source = "transformers, configuration_mixtral.py";
    table.modelTypes = {"mixtral"};
    table.architectures = {"MixtralForCausalLM", "MixtralModel"};
    table.form = rules::rotaryForm();
    table.classSizes = rules::classSizes({32, 4096, 32, 8, 14336, 32000});
    table.implied = {{"bias", "false", "no key says so: no projection of mixtral has a bias"},
                     {"weights of experts", "divided by their sum", "no key says so: mixtral does"}};
    table.handles = {"experts"};
    table.rules = rules::rotaryRows({.positions = 131072, .epsilon = 1e-5, .theta = 1e6});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::experts(kExperts, &Experts::count, 8),
                   rules::experts(kPerToken, &Experts::perToken, 2)});
    table.finish = finishMixtral;
    return table;
}

} // namespace

const FamilyTable &mixtralFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
