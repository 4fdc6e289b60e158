// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kPeriod = 4; // three layers with a window, then one without

void finishOlmo3(FamilyReading &reading)
{
    readRotaryExtras(reading, ScalingReach::fullLayersOnly);
    readWindowPattern(reading, kWindow, kPeriod);
}

/// As olmo2 but for windows, and frequencies that are scaled in layers without a window only.
FamilyTable makeTable()
{
    FamilyTable table = olmo2Family();
    table.name = "olmo3";
    table.source = "transformers, configuration_olmo3.py";
    table.modelTypes = {"olmo3"};
    table.architectures = {"Olmo3ForCausalLM", "Olmo3Model"};
    rules::setDefault(table, "rope_theta", 500000.0);
    table.finish = finishOlmo3;
    return table;
}

} // namespace

const FamilyTable &olmo3Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
