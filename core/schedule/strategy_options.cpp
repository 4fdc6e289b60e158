// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy_text.h"

#include <algorithm>

namespace remat::core {

namespace {

constexpr std::string_view kBothHalves = "keep_all_norm";
constexpr std::string_view kAttention = "drop_core";
constexpr std::string_view kFeedForward = "lean_mlp";

bool isOption(StageKind half, std::string_view id)
{
    const auto &ids = optionIds(half);
    return id != ids.front() && std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool setOnce(std::string &half, std::string_view id)
{
    if (!half.empty())
        return false;
    half = id;
    return true;
}

/// "attention" and "mlp" are names of strategies for the one option that they are known by.
std::string_view longName(std::string_view name)
{
    if (name == "attention")
        return kAttention;
    return name == "mlp" ? kFeedForward : name;
}

std::string joined(const std::string &attention, const std::string &feedForward)
{
    if (attention.empty() || attention == feedForward)
        return feedForward;
    return feedForward.empty() ? attention : attention + "+" + feedForward;
}

} // namespace

const std::vector<std::string_view> &optionIds(StageKind half)
{
    static const std::vector<std::string_view> attention
        = {"keep_all", "keep_all_norm", "drop_core", "drop_core_norm", "drop_qkv", "drop_qkv_norm"};
    static const std::vector<std::string_view> feedForward
        = {"keep_all", "keep_all_norm", "lean_mlp", "lean_mlp_norm", "drop_up", "drop_up_norm"};
    static const std::vector<std::string_view> none = {"keep_all"};
    if (half == StageKind::attention)
        return attention;
    return half == StageKind::feedForward ? feedForward : none;
}

std::string StageOptions::idFor(StageKind kind) const
{
    switch (kind) {
    case StageKind::attention:
        return attention;
    case StageKind::feedForward:
        return feedForward;
    case StageKind::block:
        return joined(attention, feedForward);
    default:
        return {};
    }
}

std::optional<StageOptions> stageOptionsFrom(std::string_view ids)
{
    StageOptions options;
    bool both = false;
    while (!ids.empty()) {
        const std::string_view id = ids.substr(0, ids.find('+'));
        ids.remove_prefix(std::min(ids.size(), id.size() + 1));
        if (id == kBothHalves && !both)
            both = true;
        else if (id != kBothHalves && isOption(StageKind::attention, id) && setOnce(options.attention, id))
            continue;
        else if (id == kBothHalves || !isOption(StageKind::feedForward, id) || !setOnce(options.feedForward, id))
            return std::nullopt;
    }
    if (both && !options.attention.empty() && !options.feedForward.empty())
        return std::nullopt;
    if (both && options.attention.empty())
        options.attention = kBothHalves;
    if (both && options.feedForward.empty())
        options.feedForward = kBothHalves;
    return options;
}

std::optional<StageOptions> optionsFromText(std::string_view text)
{
    const auto at = text.find('@');
    std::string ids;
    for (std::string_view rest = text.substr(0, at); !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find('+'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        ids += (ids.empty() ? "" : "+") + std::string(longName(name));
    }
    auto options = stageOptionsFrom(ids);
    if (!options || !options->any())
        return std::nullopt;
    if (at != std::string_view::npos) {
        options->layers = layersFromText(text.substr(at + 1));
        if (options->layers.empty())
            return std::nullopt;
    }
    return options;
}

std::string textOf(const StageOptions &options)
{
    const bool known = (options.attention.empty() || options.attention == kAttention)
        && (options.feedForward.empty() || options.feedForward == kFeedForward);
    std::string text = known
        ? joined(options.attention.empty() ? "" : "attention", options.feedForward.empty() ? "" : "mlp")
        : joined(options.attention, options.feedForward);
    if (!options.layers.empty())
        text += "@" + textOf(options.layers);
    return text;
}

} // namespace remat::core
