// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "config/config_values.h"
#include "config/family_reading.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

constexpr std::string_view kWindow = "sliding_window";

std::optional<std::int64_t> windowKey(FamilyReading &reading)
{
    return reading.count(kWindow, 0, std::int64_t(1) << 40);
}

/// Which layers layer_types gives a window; nullopt without the list. A list of another length is refused.
std::optional<std::vector<bool>> namedLayers(FamilyReading &reading)
{
    const Json *kinds = reading.value("layer_types");
    if (kinds == nullptr)
        return std::nullopt;
    if (kinds->size() != static_cast<std::size_t>(reading.model.layers)) {
        reading.refuseSentence("layer_types names " + std::to_string(kinds->size()) + " layers of "
                               + std::to_string(reading.model.layers) + "; each layer needs one kind");
        return std::nullopt;
    }
    std::vector<bool> windowed;
    for (const Json &kind : *kinds)
        windowed.push_back(isText(kind, "sliding_attention"));
    return windowed;
}

/// A window in some layers; not kept where it spans all positions.
void takeWindow(FamilyReading &reading, std::int64_t window, const std::vector<bool> &windowed)
{
    const auto count = std::count(windowed.begin(), windowed.end(), true);
    if (window >= reading.model.positions) {
        reading.ignore(kWindow, "spans all " + std::to_string(reading.model.positions) + " positions");
        return;
    }
    if (count == 0) {
        reading.ignore(kWindow, "no layer uses it");
        return;
    }
    reading.model.slidingWindow = window;
    std::vector<LayerForm> &forms = spreadLayerForms(reading.model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer)
        forms[layer].windowed = windowed[layer];
    if (static_cast<std::size_t>(count) < windowed.size())
        reading.derive(kWindow, std::to_string(window),
                       "in " + std::to_string(count) + " of " + std::to_string(windowed.size()) + " layers");
}

std::vector<bool> allLayers(const ModelConfig &model)
{
    return std::vector<bool>(static_cast<std::size_t>(model.layers), true);
}

/// "LLLG": L has a window; the last layer never has one (transformers, configuration_exaone4.py).
std::vector<bool> lettersPattern(const std::string &letters, const ModelConfig &model)
{
    std::vector<bool> windowed = allLayers(model);
    for (std::size_t layer = 0; layer < windowed.size(); ++layer)
        windowed[layer] = letters[layer % letters.size()] == 'L' && layer + 1 < windowed.size();
    return windowed;
}

std::vector<bool> periodPattern(std::int64_t period, const ModelConfig &model)
{
    std::vector<bool> windowed = allLayers(model);
    for (std::size_t layer = 0; layer < windowed.size(); ++layer)
        windowed[layer] = (static_cast<std::int64_t>(layer) + 1) % period != 0;
    return windowed;
}

/// sliding_window_pattern: a number, letters, or absent for the family's own.
std::vector<bool> patternKey(FamilyReading &reading, std::int64_t period)
{
    const Json *pattern = reading.value("sliding_window_pattern");
    if (pattern != nullptr && pattern->is_string()) {
        const auto &letters = pattern->get_ref<const std::string &>();
        if (!letters.empty() && letters.find_first_not_of("LG") == std::string::npos)
            return lettersPattern(letters, reading.model);
        reading.refuse("sliding_window_pattern", "allowed are whole numbers and the letters L and G, as in \"LLLG\"");
    } else if (const auto given = reading.count("sliding_window_pattern", 1, kMostLayers)) {
        period = *given;
    } else {
        reading.assume("sliding_window_pattern", std::to_string(period), "absent; the default of the family");
    }
    return periodPattern(period, reading.model);
}

} // namespace

std::vector<LayerForm> &spreadLayerForms(ModelConfig &model)
{
    if (model.layerForms.empty()) {
        const LayerForm common = model.formOf(0);
        model.layerForms.assign(static_cast<std::size_t>(model.layers), common);
    }
    return model.layerForms;
}

void tidyLayerForms(ModelConfig &model)
{
    const LayerForm usual{model.slidingWindow > 0, model.experts.count > 0, true};
    if (std::all_of(model.layerForms.begin(), model.layerForms.end(),
                    [&](const LayerForm &form) { return form == usual; }))
        model.layerForms.clear();
}

void readSlidingWindow(FamilyReading &reading, std::optional<std::int64_t> assumed)
{
    const std::optional<std::int64_t> window = windowKey(reading);
    const std::vector<bool> windowed = namedLayers(reading).value_or(allLayers(reading.model));
    if (window && *window > 0) {
        takeWindow(reading, *window, windowed);
    } else if (window) {
        reading.ignore(kWindow, "0 is read as no window");
    } else if (!reading.isNull(kWindow) && assumed) {
        reading.assume(kWindow, std::to_string(*assumed), "absent; the default of " + reading.model.family);
        if (*assumed < reading.model.positions)
            takeWindow(reading, *assumed, windowed);
    }
}

void readQwenWindow(FamilyReading &reading)
{
    const bool used = reading.flag("use_sliding_window", false);
    const std::optional<std::int64_t> window = windowKey(reading);
    const std::optional<std::int64_t> from = reading.count("max_window_layers", 0, kMostLayers);
    if (!used) {
        if (window)
            reading.ignore(kWindow, "overridden: use_sliding_window is not true");
        if (from)
            reading.ignore("max_window_layers", "overridden: use_sliding_window is not true");
        return;
    }
    if (!window || *window == 0) {
        reading.ignore("use_sliding_window", "no sliding_window is given");
        return;
    }
    std::vector<bool> windowed = allLayers(reading.model);
    for (std::size_t layer = 0; layer < windowed.size(); ++layer)
        windowed[layer] = static_cast<std::int64_t>(layer) >= from.value_or(0);
    takeWindow(reading, *window, namedLayers(reading).value_or(windowed));
}

std::vector<bool> readWindowPattern(FamilyReading &reading, std::int64_t assumedWindow, std::int64_t period)
{
    const std::optional<std::int64_t> given = windowKey(reading);
    if ((!given && reading.isNull(kWindow)) || (given && *given == 0)) {
        reading.ignore(kWindow, "no layer has a window");
        if (reading.value("sliding_window_pattern") != nullptr)
            reading.ignore("sliding_window_pattern", "no layer has a window");
        return {};
    }
    if (!given)
        reading.assume(kWindow, std::to_string(assumedWindow), "absent; the default of " + reading.model.family);
    const std::optional<std::vector<bool>> named = namedLayers(reading);
    if (named && reading.value("sliding_window_pattern") != nullptr)
        reading.ignore("sliding_window_pattern", "layer_types says it for each layer");
    const std::vector<bool> windowed = named ? *named : patternKey(reading, period);
    takeWindow(reading, given.value_or(assumedWindow), windowed);
    return windowed;
}

void readWindowsAloneTurned(FamilyReading &reading, std::int64_t assumedWindow, std::int64_t period)
{
    const std::vector<bool> windowed = readWindowPattern(reading, assumedWindow, period);
    if (windowed.empty())
        return;
    std::vector<LayerForm> &forms = spreadLayerForms(reading.model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer)
        forms[layer].rotary = windowed[layer];
    reading.derive("rotary positions", "windowed layers only",
                   reading.model.family + " has none in layers that see everything");
}

void readSparseLayers(FamilyReading &reading)
{
    const std::int64_t step = reading.count("decoder_sparse_step", 1, kMostLayers).value_or(1);
    std::vector<LayerForm> &forms = spreadLayerForms(reading.model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer)
        forms[layer].experts = (static_cast<std::int64_t>(layer) + 1) % step == 0;
    const Json *dense = reading.value("mlp_only_layers");
    if (dense != nullptr && !dense->is_array())
        return reading.refuse("mlp_only_layers", "allowed is a list of layers, counted from 0");
    for (const Json &entry : dense == nullptr ? Json::array() : *dense) {
        const std::optional<std::int64_t> layer = wholeNumber(entry);
        if (!layer || *layer < 0)
            return reading.refuseSentence("mlp_only_layers holds " + shortText(entry)
                                          + "; allowed are layers, counted from 0");
        if (static_cast<std::size_t>(*layer) < forms.size())
            forms[static_cast<std::size_t>(*layer)].experts = false;
    }
    const auto sparse = std::count_if(forms.begin(), forms.end(), [](const LayerForm &form) { return form.experts; });
    if (static_cast<std::size_t>(sparse) < forms.size())
        reading.derive("mlp_only_layers", std::to_string(sparse), "layers with experts; the others are dense");
}

} // namespace remat::core
