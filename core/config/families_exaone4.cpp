// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kPeriod = 4; // three layers with a window, then one without

/// In models with windows the layers that see everything have no positions (transformers, modeling_exaone4.py).
void finishExaone4(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readWindowsAloneTurned(reading, kWindow, kPeriod);
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "exaone4";
    table.source = "transformers, configuration_exaone4.py";
    table.modelTypes = {"exaone4"};
    table.architectures = {"Exaone4ForCausalLM", "Exaone4Model"};
    table.form = rules::rotaryForm();
    table.form.normPlacement = NormPlacement::branch;
    table.form.qkNorm = QkNorm::headRms;
    table.implied = {{"norm placement", "branch", "no key says so: exaone4 normalises what each half adds"},
                     {"norm of query and key heads", "true", "no key says so: exaone4 normalises every head"},
                     {"bias", "false", "no key says so: no projection of exaone4 has a bias"}};
    table.rules = rules::rotaryRows({.positions = 2048, .epsilon = 1e-5});
    rules::append(table, {rules::headSizeFromWidth("head_dim")});
    table.finish = finishExaone4;
    return table;
}

} // namespace

const FamilyTable &exaone4Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
