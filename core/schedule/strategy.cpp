// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy_text.h"

#include <algorithm>
#include <charconv>

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
    return {
        ErrorCode::usage,
        "'" + std::string(text.substr(0, 60))
            + "' is no strategy; use none, every:N, segments:K, sequential:S, first:N, last:N, "
              "layers:0,3,5-8, sqrt, halves, recursive, input-only, selective:attention, selective:mlp, "
              "selective:IDS@LAYERS, budget:BYTES, budget:P%, "
              "any of these followed by +selective:…, or file:PLAN.json; 'remat inspect --strategies' explains them."};
}

bool readNumber(std::string_view text, int &value)
{
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && rest == text.data() + text.size() && value >= 0 && value <= 100'000;
}

bool readLayers(std::string_view text, Strategy &strategy)
{
    strategy.kind = StrategyKind::layers;
    strategy.layers = layersFromText(text);
    strategy.text = "layers:" + textOf(strategy.layers);
    return !strategy.layers.empty();
}

/// The rule alone, without options.
bool readRule(std::string_view text, Strategy &strategy)
{
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (name == "layers")
        return readLayers(rest, strategy);
    const auto *rule
        = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule &r) { return r.name == name; });
    if (rule == std::end(kRules) || rule->takesNumber != (colon != std::string_view::npos))
        return false;
    strategy.kind = rule->kind;
    strategy.text = name;
    if (!rule->takesNumber)
        return true;
    if (!readNumber(rest, strategy.n))
        return false;
    strategy.text += ":" + std::to_string(strategy.n);
    return true;
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
        {"halves",
         "attention and feed-forward of every block are checkpointed, each alone (blocks that run both in parallel: "
         "whole)"},
        {"recursive", "nothing is kept in the forward; the chain is halved again and again"},
        {"input-only", "only the first block's input is kept; every block reruns from there"},
        {"selective:attention",
         "everything is kept but scores, softmax and dropout of attention; same as selective:drop_core"},
        {"selective:mlp", "everything is kept but the activation function's output; same as selective:lean_mlp"},
        {"selective:attention+mlp", "both"},
        {"selective:IDS@0,3,5-8",
         "options by id, joined by '+', for these layers (without @: all); attention: drop_core, drop_qkv; "
         "feed-forward: "
         "lean_mlp, drop_up; each also with _norm: the normalised input is rebuilt as well; keep_all_norm: only that"},
        {"S+selective:…",
         "any rule above, and its saving forwards run with these options, e.g. segments:2+selective:mlp"},
        {"budget:BYTES", "the fastest schedule whose peak, everything counted, is at most so many bytes (4GiB, 512MB)"},
        {"budget:P%", "the same with the static part and P % of the activation peak of none"},
        {"file:PLAN.json", "a saved plan, replayed exactly"},
    };
    return table;
}

std::vector<int> layersFromText(std::string_view text)
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

std::string textOf(const std::vector<int> &layers)
{
    std::string text;
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

Result<BudgetRule> parseBudget(std::string_view text)
{
    BudgetRule budget;
    if (!text.ends_with('%')) {
        const auto bytes = parseBytes(text);
        if (!bytes)
            return bytes.error();
        budget.bytes = *bytes;
        return budget;
    }
    text.remove_suffix(1);
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), budget.percent);
    if (code != std::errc() || rest != text.data() + text.size()
        || !(budget.percent >= 0.0 && budget.percent <= 1000.0))
        return Error{ErrorCode::usage,
                     "'" + std::string(text.substr(0, 40))
                         + "%' is no budget; use bytes such as 4GiB, or a share of the activation peak such as 30%."};
    return budget;
}

Result<Strategy> parseStrategy(std::string_view text)
{
    constexpr std::string_view kFile = "file:";
    constexpr std::string_view kBudget = "budget:";
    constexpr std::string_view kSelective = "selective:";
    constexpr std::string_view kAdded = "+selective:";
    Strategy strategy;
    if (text.starts_with(kFile) && text.size() > kFile.size()) {
        strategy.kind = StrategyKind::file;
        strategy.path = text.substr(kFile.size());
        strategy.text = text;
        return strategy;
    }
    if (text.starts_with(kBudget)) {
        auto budget = parseBudget(text.substr(kBudget.size()));
        if (!budget)
            return budget.error();
        strategy.kind = StrategyKind::budget;
        strategy.budget = *budget;
        strategy.text = text;
        return strategy;
    }
    const bool alone = text.starts_with(kSelective);
    const auto added = alone ? std::string_view::npos : text.find(kAdded);
    if (!alone && !readRule(text.substr(0, added), strategy))
        return unknown(text);
    if (!alone && added == std::string_view::npos)
        return strategy;
    auto options = optionsFromText(text.substr(alone ? kSelective.size() : added + kAdded.size()));
    if (!options)
        return unknown(text);
    strategy.options = std::move(*options);
    const std::string what = std::string(kSelective) + textOf(strategy.options);
    strategy.text = strategy.kind == StrategyKind::none ? what : strategy.text + "+" + what;
    return strategy;
}

std::vector<int> recomputedLayers(const Schedule &schedule, const ChainShape &shape)
{
    std::vector<int> runs(static_cast<std::size_t>(schedule.stages), 0);
    for (const Op &op : schedule.ops)
        if (op.kind == OpKind::forward || op.kind == OpKind::forwardSave)
            ++runs[static_cast<std::size_t>(op.stage)];
    std::vector<int> result;
    for (int stage = 0; stage < std::min(schedule.stages, shape.stages()); ++stage) {
        const int layer = shape.layerOf(stage);
        if (layer >= 0 && runs[static_cast<std::size_t>(stage)] > 1 && (result.empty() || result.back() != layer))
            result.push_back(layer);
    }
    return result;
}

std::vector<int> checkpointedLayers(const Schedule &schedule, const ChainShape &shape)
{
    // A block's input is a checkpoint where its first stage is run by F before the loss and read again after it, with
    // no production of that input in between.
    std::vector<int> result;
    for (int layer = 0; layer < shape.layers; ++layer) {
        const int stage = shape.firstStageOf(layer);
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
