// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEmbeddingDropout[] = {"embd_pdrop"};
constexpr std::string_view kResidualDropout[] = {"resid_pdrop"};

void finishPhi3(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readSlidingWindow(reading, std::nullopt);
    if (reading.flag("attention_bias", false))
        reading.warn("attention_bias", "overridden: no projection of phi3 has a bias");
    else if (reading.value("attention_bias") != nullptr)
        reading.ignore("attention_bias", "no projection of phi3 has a bias");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "phi3";
    table.source = "transformers, configuration_phi3.py";
    table.modelTypes = {"phi3", "phi3_v"};
    table.architectures = {"Phi3ForCausalLM", "Phi3Model"};
    table.form = rules::rotaryForm();
    table.classSizes = rules::classSizes({32, 3072, 32, 0, 8192, 32064});
    table.implied = {{"bias", "false", "no key says so: no projection of phi3 has a bias"}};
    table.rules = rules::rotaryRows({.positions = 4096, .epsilon = 1e-5});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0)});
    table.finish = finishPhi3;
    return table;
}

} // namespace

const FamilyTable &phi3Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
