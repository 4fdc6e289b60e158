// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "base/text.h"
#include "config/family_reading.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

struct ForeignKey
{
    std::string_view key;
    std::string_view allowed;
};

// Each changes the structure of a block when it is set to anything but null, false, 0 or an empty list.
constexpr ForeignKey kForeign[] = {
    {"is_encoder_decoder", "only decoders are supported, not models of an encoder and a decoder"},
    {"add_cross_attention", "only decoders without cross-attention are supported"},
    {"cross_attention_layers", "only decoders without cross-attention are supported"},
    {"kv_lora_rank", "only plain multi-head and grouped-query attention is supported, not latent attention"},
    {"attn_logit_softcapping", "attention with capped logits is not supported; allowed is null"},
    {"final_logit_softcapping", "capped logits are not supported; allowed is null"},
    {"alibi", "attention with linear biases is not supported; allowed are learned and rotary positions"},
    {"use_parallel_residual", "attention and feed-forward in parallel are not supported; allowed is false"},
    {"parallel_residual", "attention and feed-forward in parallel are not supported; allowed is false"},
    {"parallel_attn", "attention and feed-forward in parallel are not supported; allowed is false"},
    {"moe", "mixtures of experts are not supported; allowed is a dense feed-forward half"},
};

bool isUnset(const Json &json)
{
    if (json.is_boolean())
        return !json.get<bool>();
    if (json.is_number())
        return json.get<double>() == 0.0;
    return json.empty();
}

bool isLayerKind(const Json &kind, std::string_view name)
{
    return kind.is_string() && kind.get_ref<const std::string &>() == name;
}

/// Number of layers whose kind is sliding-window attention; nullopt without the list.
std::optional<std::int64_t> slidingLayers(FamilyReading &reading)
{
    const Json *kinds = reading.value("layer_types");
    if (kinds == nullptr)
        return std::nullopt;
    std::int64_t sliding = 0;
    for (const Json &kind : *kinds)
        sliding += isLayerKind(kind, "sliding_attention") ? 1 : 0;
    return sliding;
}

void takeWindow(FamilyReading &reading, std::int64_t window)
{
    if (window >= reading.model.positions)
        reading.ignore("sliding_window", "spans all " + std::to_string(reading.model.positions) + " positions");
    else
        reading.model.slidingWindow = window;
}

std::optional<std::int64_t> windowKey(FamilyReading &reading)
{
    return reading.count("sliding_window", 0, std::int64_t(1) << 40);
}

bool asksForCheckpointing(const Json &json)
{
    return !isUnset(json) && !json.is_null();
}

} // namespace

void refuseForeignStructure(FamilyReading &reading)
{
    for (const ForeignKey &foreign : kForeign) {
        const Json *json = reading.value(foreign.key);
        if (json != nullptr && !isUnset(*json))
            return reading.refuse(foreign.key, foreign.allowed);
    }
    for (const std::string_view key : keys::experts()) {
        const Json *json = reading.value(key);
        if (json != nullptr && !isUnset(*json))
            return reading.refuse(key, "mixtures of experts are not supported; allowed is a dense feed-forward half");
    }
    const Json *kinds = reading.value("layer_types");
    if (kinds == nullptr)
        return;
    if (!kinds->is_array() || kinds->size() > static_cast<std::size_t>(kMostLayers))
        return reading.refuse("layer_types", "allowed is a list with the kind of each layer");
    for (const Json &kind : *kinds)
        if (!isLayerKind(kind, "full_attention") && !isLayerKind(kind, "sliding_attention"))
            return reading.refuseSentence("layer_types holds " + shortText(kind)
                                          + "; allowed are full_attention and sliding_attention");
}

void readRotaryExtras(FamilyReading &reading)
{
    if (const Json *scaling = reading.value("rope_scaling"); scaling != nullptr && !isUnset(*scaling))
        reading.warn("rope_scaling",
                     "scaled rotary frequencies are not applied; bytes and times of a step are the same");
    if (reading.value("original_max_position_embeddings") != nullptr)
        reading.ignore("original_max_position_embeddings", "concerns the scaling of rotary frequencies only");
    const Json *parameters = reading.value("rope_parameters");
    if (parameters == nullptr)
        return;
    if (!parameters->is_object())
        return reading.refuse("rope_parameters", "allowed is an object, for example {\"rope_theta\": 10000.0}");
    const auto theta = parameters->find("rope_theta");
    if (theta != parameters->end()) {
        if (!theta->is_number() || !(theta->get<double>() >= 1.0 && theta->get<double>() <= 1e12))
            return reading.refuseSentence("rope_theta in rope_parameters is " + shortText(*theta)
                                          + "; allowed are numbers from 1 to 1e12");
        reading.model.ropeTheta = theta->get<double>();
        reading.derive("rope_parameters", shortText(*theta), "rope_theta is read from here");
    }
    const auto kind = parameters->find("rope_type");
    if (kind != parameters->end() && !isLayerKind(*kind, "default"))
        reading.warn("rope_parameters",
                     "scaled rotary frequencies are not applied; bytes and times of a step are the same");
}

void readSlidingWindow(FamilyReading &reading, std::optional<std::int64_t> assumed)
{
    const bool isNull = reading.isNull("sliding_window");
    const std::optional<std::int64_t> window = windowKey(reading);
    if (window && *window > 0) {
        takeWindow(reading, *window);
    } else if (window) {
        reading.ignore("sliding_window", "0 is read as no window");
    } else if (!isNull && assumed) {
        reading.assume("sliding_window", std::to_string(*assumed), "absent; the default of " + reading.model.family);
        if (*assumed < reading.model.positions)
            reading.model.slidingWindow = *assumed;
    }
    const std::optional<std::int64_t> sliding = slidingLayers(reading);
    if (sliding && *sliding == 0 && reading.model.slidingWindow > 0) {
        reading.model.slidingWindow = 0;
        reading.ignore("sliding_window", "layer_types names no layer that uses it");
    } else if (sliding && *sliding > 0 && *sliding < reading.model.layers) {
        reading.model.slidingWindow = 0;
        reading.warn("layer_types", "only some layers see a window; full attention is run in all of them");
    }
}

void readQwenWindow(FamilyReading &reading)
{
    const bool used = reading.flag("use_sliding_window", false);
    const std::optional<std::int64_t> window = windowKey(reading);
    const std::optional<std::int64_t> from = reading.count("max_window_layers", 0, kMostLayers);
    if (!used) {
        if (window)
            reading.ignore("sliding_window", "overridden: use_sliding_window is not true");
        if (from)
            reading.ignore("max_window_layers", "overridden: use_sliding_window is not true");
        return;
    }
    if (!window || *window == 0) {
        reading.ignore("use_sliding_window", "no sliding_window is given");
        return;
    }
    const std::int64_t layers = reading.model.layers;
    const std::int64_t sliding = slidingLayers(reading).value_or(std::max<std::int64_t>(0, layers - from.value_or(0)));
    if (sliding >= layers)
        takeWindow(reading, *window);
    else if (sliding == 0)
        reading.ignore("sliding_window", "overridden: no layer uses the window");
    else
        reading.warn("sliding_window",
                     "only " + std::to_string(sliding) + " of " + std::to_string(layers)
                         + " layers see this window; full attention is run in all of them");
}

void readRemarks(FamilyReading &reading)
{
    if (const Json *quantised = reading.value("quantization_config"); quantised != nullptr && !isUnset(*quantised)) {
        const auto method = quantised->is_object() ? quantised->find("quant_method") : quantised->end();
        const std::string with
            = quantised->is_object() && method != quantised->end() ? " with " + shortText(*method) : "";
        reading.model.support = Support::denseShape;
        reading.model.supportReason
            = "The weights are quantised" + with + "; what is run and counted is the dense, unquantised shape.";
        reading.warn("quantization_config", "the dense, unquantised shape is run and counted");
    }
    for (const std::string_view key : keys::checkpointing()) {
        const Json *json = reading.value(key);
        if (json == nullptr)
            continue;
        if (asksForCheckpointing(*json))
            reading.warn(key, "the file asks for activation checkpointing; the strategy every:1 does that");
        else
            reading.ignore(key, "the file asks for no activation checkpointing; the strategy decides");
    }
    const Json *architectures = reading.value("architectures");
    if (architectures == nullptr || !architectures->is_array() || architectures->empty()
        || !architectures->front().is_string())
        return;
    const auto &name = architectures->front().get_ref<const std::string &>();
    if (!name.ends_with("ForCausalLM") && !name.ends_with("LMHeadModel"))
        reading.warn("architectures",
                     "this class has another head or none; the language-model head is run and counted");
}

} // namespace remat::core
