// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/stage.h"

namespace remat::core {

namespace {

struct Rule
{
    StrategyKind kind;
    std::string_view name;
    bool takesNumber;
};

constexpr Rule kRules[] = {
    {StrategyKind::none, "none", false},           {StrategyKind::every, "every", true},
    {StrategyKind::segments, "segments", true},    {StrategyKind::sequential, "sequential", true},
    {StrategyKind::first, "first", true},          {StrategyKind::last, "last", true},
    {StrategyKind::sqrt, "sqrt", false},           {StrategyKind::halves, "halves", false},
    {StrategyKind::recursive, "recursive", false}, {StrategyKind::inputOnly, "input-only", false},
};

Error unknown(std::string_view text)
{
    return {ErrorCode::usage,
            "'" + std::string(text.substr(0, 60))
                + "' is no strategy; use none, every:N, segments:K, sequential:S, first:N, last:N, "
                  "layers:0,3,5-8, sqrt, halves, recursive, input-only or file:PLAN.json."};
}

bool readNumber(std::string_view text, int &value)
{
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && rest == text.data() + text.size() && value >= 0 && value <= 100'000;
}

/// "0,3,5-8" as ascending layer numbers; empty where the text is none.
std::vector<int> readLayers(std::string_view text)
{
    std::vector<int> layers;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const auto dash = part.find('-');
        int first = 0;
        int last = 0;
        if (!readNumber(part.substr(0, dash), first))
            return {};
        last = first;
        if (dash != std::string_view::npos && (!readNumber(part.substr(dash + 1), last) || last < first))
            return {};
        for (int layer = first; layer <= last; ++layer)
            layers.push_back(layer);
    }
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    return layers;
}

std::string layersText(const std::vector<int> &layers)
{
    std::string text = "layers:";
    for (std::size_t i = 0; i < layers.size();) {
        std::size_t j = i;
        while (j + 1 < layers.size() && layers[j + 1] == layers[j] + 1)
            ++j;
        text += (i == 0 ? "" : ",") + std::to_string(layers[i]);
        if (j > i)
            text += "-" + std::to_string(layers[j]);
        i = j + 1;
    }
    return text;
}

} // namespace

const std::vector<StrategyInfo> &strategyTable()
{
    static const std::vector<StrategyInfo> table = {
        {"none", "everything is kept"},
        {"every:N", "block i is checkpointed when i mod N = 0, each alone; larger N: more memory, less time"},
        {"segments:K", "groups of K blocks from the front, only each group's input is kept, all are rerun"},
        {"sequential:S", "S groups as PyTorch's checkpoint_sequential makes them; the last one is kept"},
        {"first:N", "the first N blocks are checkpointed, each alone"},
        {"last:N", "the last N blocks are checkpointed, each alone"},
        {"layers:0,3,5-8", "these blocks are checkpointed, each alone"},
        {"sqrt", "segments:K with K the square root of the number of blocks, rounded up"},
        {"halves", "attention and feed-forward of every block are checkpointed, each alone"},
        {"recursive", "nothing is kept in the forward; the chain is halved again and again"},
        {"input-only", "only the first block's input is kept; every block reruns from there"},
        {"file:PLAN.json", "a saved plan, replayed exactly"},
    };
    return table;
}

Result<Strategy> parseStrategy(std::string_view text)
{
    Strategy strategy;
    strategy.text = text;
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (name == "file" && !rest.empty()) {
        strategy.kind = StrategyKind::file;
        strategy.path = rest;
        return strategy;
    }
    if (name == "layers") {
        strategy.kind = StrategyKind::layers;
        strategy.layers = readLayers(rest);
        if (strategy.layers.empty())
            return unknown(text);
        strategy.text = layersText(strategy.layers);
        return strategy;
    }
    const auto *rule
        = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule &r) { return r.name == name; });
    if (rule == std::end(kRules) || rule->takesNumber != (colon != std::string_view::npos))
        return unknown(text);
    strategy.kind = rule->kind;
    if (rule->takesNumber) {
        if (!readNumber(rest, strategy.n))
            return unknown(text);
        strategy.text = std::string(name) + ":" + std::to_string(strategy.n);
    }
    return strategy;
}

std::vector<int> recomputedLayers(const Schedule &schedule, int layers)
{
    std::vector<int> runs(static_cast<std::size_t>(schedule.stages), 0);
    for (const Op &op : schedule.ops)
        if (op.kind == OpKind::forward || op.kind == OpKind::forwardSave)
            ++runs[static_cast<std::size_t>(op.stage)];
    std::vector<int> result;
    for (int layer = 0; layer < layers; ++layer) {
        const auto stage = static_cast<std::size_t>(firstStageOfLayer(layer));
        if (stage + 1 < runs.size() && (runs[stage] > 1 || runs[stage + 1] > 1))
            result.push_back(layer);
    }
    return result;
}

std::vector<int> checkpointedLayers(const Schedule &schedule, int layers)
{
    // A block's input is a checkpoint where its first stage is run by F before the loss and read again after it, with
    // no production of that input in between.
    std::vector<int> result;
    for (int layer = 0; layer < layers; ++layer) {
        const int stage = firstStageOfLayer(layer);
        bool lossSeen = false;
        bool kept = false;
        for (const Op &op : schedule.ops) {
            if (op.kind == OpKind::loss)
                lossSeen = true;
            if (!lossSeen || op.kind == OpKind::backward || op.kind == OpKind::loss)
                continue;
            if (op.stage == stage - 1)
                break;
            if (op.stage == stage) {
                kept = true;
                break;
            }
        }
        if (kept)
            result.push_back(layer);
    }
    return result;
}

} // namespace remat::core
