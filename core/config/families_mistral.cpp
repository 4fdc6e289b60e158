// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kDefaultWindow = 4096;

void finishMistral(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, kDefaultWindow);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "mistral";
    table.source = "transformers, configuration_mistral.py";
    table.modelTypes = {"mistral", "ministral3"};
    table.architectures = {"MistralForCausalLM", "MistralModel"};
    table.form = rules::rotaryForm();
    table.classSizes = rules::classSizes({32, 4096, 32, 8, 14336, 32000});
    table.implied = {{"bias", "false", "no key says so: no projection of mistral has a bias"}};
    table.rules = rules::rotaryRows({.positions = 131072, .epsilon = 1e-6});
    rules::append(table, {rules::headSizeFromWidth("head_dim")});
    table.finish = finishMistral;
    return table;
}

} // namespace

const FamilyTable &mistralFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
