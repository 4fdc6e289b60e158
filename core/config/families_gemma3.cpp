// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kPeriod = 6; // five layers with a window, then one without
constexpr double kWindowedBase = 10000.0;
constexpr double kLargestBase = 1e12;

void finishGemma3(FamilyReading &reading)
{
    reading.model.ropeThetaWindowed = reading.number("rope_local_base_freq", kWindowedBase, 1.0, kLargestBase);
    readRotaryExtras(reading, ScalingReach::fullLayersOnly);
    readGemmaEmbedding(reading);
    readGemmaAttention(reading, 0.0, 0.0);
    if (reading.value("_sliding_window_pattern") != nullptr)
        reading.ignore("_sliding_window_pattern", "layer_types or sliding_window_pattern is read");
    const std::vector<bool> windowed = readWindowPattern(reading, kWindow, kPeriod);
    ModelConfig &model = reading.model;
    if (windowed.empty() || model.slidingWindow > 0)
        return;
    // The window spans all positions, but its layers keep a rotary base of their own.
    model.slidingWindow = model.positions;
    std::vector<LayerForm> &forms = spreadLayerForms(model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer)
        forms[layer].windowed = windowed[layer];
}

/// As gemma2, with norms on query and key heads in the place of caps, and another rotary base in layers with a window.
FamilyTable makeTable()
{
    FamilyTable table = gemma2Family();
    table.name = "gemma3";
    table.source = "transformers, configuration_gemma3.py";
    table.modelTypes = {"gemma3_text"};
    table.architectures = {"Gemma3ForCausalLM", "Gemma3TextModel"};
    table.form.qkNorm = QkNorm::headRms;
    table.classSizes = rules::classSizes({26, 2304, 8, 4, 9216, 262208});
    table.implied = {{"norm weight", "1 + w", "no key says so: gemma3 stores the weights of its norms less one"},
                     {"norm placement", "sandwich", "no key says so: gemma3 has norms before and after each half"},
                     {"norm of query and key heads", "true", "no key says so: gemma3 normalises every head"}};
    rules::setDefault(table, "rope_theta", 1e6);
    rules::setDefault(table, "max_position_embeddings", std::int64_t(131072));
    table.finish = finishGemma3;
    return table;
}

} // namespace

const FamilyTable &gemma3Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
