// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kPeriod = 4; // three layers with a window, then one without

/// Layers that see everything have no positions (transformers, modeling_cohere2.py).
void finishCohere2(FamilyReading &reading)
{
    readRotaryExtras(reading);
    noteInterleavedRotary(reading);
    const Json *pattern = reading.value("_sliding_window_pattern");
    if (pattern != nullptr)
        reading.ignore("_sliding_window_pattern", "layer_types or sliding_window_pattern is read");
    readWindowsAloneTurned(reading, kWindow, kPeriod);
}

/// As cohere but for windows.
FamilyTable makeTable()
{
    FamilyTable table = cohereFamily();
    table.name = "cohere2";
    table.source = "transformers, configuration_cohere2.py";
    table.modelTypes = {"cohere2"};
    table.architectures = {"Cohere2ForCausalLM", "Cohere2Model"};
    rules::setDefault(table, "rope_theta", 10000.0);
    table.finish = finishCohere2;
    return table;
}

} // namespace

const FamilyTable &cohere2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
