// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/config_values.h"

#include <array>
#include <cmath>

#include "base/text.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

struct ActivationName
{
    std::string_view name;
    Activation value;
};

constexpr std::array<ActivationName, 12> kActivations = {{{"gelu", Activation::gelu},
                                                          {"gelu_new", Activation::geluTanh},
                                                          {"gelu_pytorch_tanh", Activation::geluTanh},
                                                          {"gelu_fast", Activation::geluTanh},
                                                          {"gelu_tanh", Activation::geluTanh},
                                                          {"silu", Activation::silu},
                                                          {"swish", Activation::silu},
                                                          {"relu", Activation::relu},
                                                          {"relu2", Activation::reluSquared},
                                                          {"relu_squared", Activation::reluSquared},
                                                          {"squared_relu", Activation::reluSquared},
                                                          {"tanh", Activation::tanh}}};
} // namespace

std::optional<Activation> activationFrom(const Json &json)
{
    for (const ActivationName &entry : kActivations)
        if (isText(json, entry.name))
            return entry.value;
    return std::nullopt;
}

bool isUnset(const Json &json)
{
    if (json.is_boolean())
        return !json.get<bool>();
    if (json.is_number())
        return json.get<double>() == 0.0;
    return json.empty() || isText(json, "");
}

bool isText(const Json &json, std::string_view text)
{
    return json.is_string() && json.get_ref<const std::string &>() == text;
}

std::string_view activationName(Activation activation)
{
    for (const ActivationName &entry : kActivations)
        if (entry.value == activation)
            return entry.name;
    return {};
}

/// Whole numbers, also when written as floats: 768.0.
std::optional<std::int64_t> wholeNumber(const Json &json)
{
    if (json.is_number_unsigned()) {
        const auto value = json.get<std::uint64_t>();
        return std::in_range<std::int64_t>(value) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    if (json.is_number_integer())
        return json.get<std::int64_t>();
    if (!json.is_number_float())
        return std::nullopt;
    constexpr double kExact = 9007199254740992.0; // 2^53: above it not every whole number is a double
    const auto value = json.get<double>();
    if (std::fabs(value) > kExact || value != std::floor(value))
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

std::string plainNumber(double value)
{
    return Json(value).dump();
}

std::string describe(const ConfigValue &value)
{
    if (const auto *activation = std::get_if<Activation>(&value))
        return std::string(activationName(*activation));
    if (const auto *flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto *number = std::get_if<double>(&value))
        return plainNumber(*number);
    return std::to_string(std::get<std::int64_t>(value));
}

void store(ModelConfig &model, const ConfigMember &member, const ConfigValue &value)
{
    if (const auto *layers = std::get_if<int ModelConfig::*>(&member))
        model.*(*layers) = static_cast<int>(std::get<std::int64_t>(value));
    else if (const auto *size = std::get_if<std::int64_t ModelConfig::*>(&member))
        model.*(*size) = std::get<std::int64_t>(value);
    else if (const auto *number = std::get_if<double ModelConfig::*>(&member))
        model.*(*number) = std::get<double>(value);
    else if (const auto *flag = std::get_if<bool ModelConfig::*>(&member))
        model.*(*flag) = std::get<bool>(value);
    else if (const auto *activation = std::get_if<Activation ModelConfig::*>(&member))
        model.*(*activation) = std::get<Activation>(value);
    else if (const auto *count = std::get_if<std::int64_t Experts::*>(&member))
        model.experts.*(*count) = std::get<std::int64_t>(value);
    else
        model.experts.*std::get<bool Experts::*>(member) = std::get<bool>(value);
}

/// Smallest and largest value of a whole-number row.
std::pair<std::int64_t, std::int64_t> sizeRange(const ConfigMember &member)
{
    if (const auto *size = std::get_if<std::int64_t ModelConfig::*>(&member))
        for (const SizeLimit &limit : kSizeLimits)
            if (limit.member == *size)
                return {limit.smallest, limit.largest};
    if (const auto *count = std::get_if<std::int64_t Experts::*>(&member)) {
        const bool isWidth = *count == &Experts::width || *count == &Experts::sharedWidth;
        return {*count == &Experts::sharedWidth ? 0 : 1, isWidth ? std::int64_t(1) << 21 : kMostExperts};
    }
    return {1, kMostLayers};
}

std::string wholeRange(std::int64_t smallest, std::int64_t largest)
{
    return "allowed are whole numbers from " + std::to_string(smallest) + " to " + std::to_string(largest);
}

bool isWholeNumber(const ConfigMember &member)
{
    return std::holds_alternative<int ModelConfig::*>(member)
        || std::holds_alternative<std::int64_t ModelConfig::*>(member)
        || std::holds_alternative<std::int64_t Experts::*>(member);
}

std::int64_t sizeIn(const ModelConfig &model, const ConfigMember &member)
{
    if (const auto *layers = std::get_if<int ModelConfig::*>(&member))
        return model.*(*layers);
    if (const auto *size = std::get_if<std::int64_t ModelConfig::*>(&member))
        return model.*(*size);
    return 0;
}

std::string shortText(const Json &value)
{
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kLongest && value.is_structured())
        return (value.is_object() ? "an object of " : "a list of ") + std::to_string(value.size()) + " entries";
    const std::string quotedText = quoteText(text, kLongest);
    return quotedText.substr(1, quotedText.size() - 2);
}

} // namespace remat::core
