// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "model/stage.h"

namespace remat::core {

namespace {

/// A run of stages [first, last] that is either kept whole or rerun whole from its first input.
struct Group
{
    int first;
    int last;
    bool rerun;
};

/// Appends ops; the one place that knows the order of ops inside a group.
class Builder
{
public:
    Builder(int layers, std::string_view feedForwardOption) : m_layers(layers), m_option(feedForwardOption)
    {
        m_schedule.stages = 2 * layers + 2;
    }

    void forward(int first, int last)
    {
        for (int stage = first; stage <= last; ++stage)
            m_schedule.ops.push_back({OpKind::forward, stage, {}});
    }
    void save(int first, int last)
    {
        for (int stage = first; stage <= last; ++stage) {
            const bool feedForward = stage > 0 && stage % 2 == 0;
            m_schedule.ops.push_back({OpKind::forwardSave, stage, feedForward ? m_option : std::string()});
        }
    }
    void backward(int last, int first)
    {
        for (int stage = last; stage >= first; --stage)
            m_schedule.ops.push_back({OpKind::backward, stage, {}});
    }
    void turn()
    {
        const int norm = m_schedule.stages - 1;
        save(norm, norm);
        m_schedule.ops.push_back({OpKind::loss, -1, {}});
        backward(norm, norm);
    }

    Schedule grouped(const std::vector<Group> &groups)
    {
        save(0, 0);
        for (const Group &group : groups)
            group.rerun ? forward(group.first, group.last) : save(group.first, group.last);
        turn();
        for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
            if (group->rerun)
                save(group->first, group->last);
            backward(group->last, group->first);
        }
        backward(0, 0);
        return std::move(m_schedule);
    }

    Schedule recursive()
    {
        save(0, 0);
        forward(1, 2 * m_layers);
        turn();
        halve(0, m_layers);
        backward(0, 0);
        return std::move(m_schedule);
    }

    Schedule inputOnly()
    {
        save(0, 0);
        forward(1, 2 * m_layers);
        turn();
        for (int layer = m_layers - 1; layer >= 0; --layer) {
            forward(1, 2 * layer);
            rerunLayer(layer);
        }
        backward(0, 0);
        return std::move(m_schedule);
    }

private:
    void rerunLayer(int layer)
    {
        const int stage = firstStageOfLayer(layer);
        save(stage, stage + 1);
        backward(stage + 1, stage);
    }
    void halve(int begin, int end)
    {
        if (end - begin == 1)
            return rerunLayer(begin);
        const int middle = (begin + end) / 2;
        forward(firstStageOfLayer(begin), firstStageOfLayer(middle) - 1);
        halve(middle, end);
        halve(begin, middle);
    }

    int m_layers;
    std::string m_option;
    Schedule m_schedule;
};

Group blocks(int begin, int end, bool rerun)
{
    return {firstStageOfLayer(begin), firstStageOfLayer(end) - 1, rerun};
}

template <typename Predicate>
std::vector<Group> each(int layers, Predicate isRerun)
{
    std::vector<Group> groups;
    for (int layer = 0; layer < layers; ++layer)
        groups.push_back(blocks(layer, layer + 1, isRerun(layer)));
    return groups;
}

std::vector<Group> segments(int layers, int length)
{
    std::vector<Group> groups;
    for (int begin = 0; begin < layers; begin += length)
        groups.push_back(blocks(begin, std::min(begin + length, layers), true));
    return groups;
}

std::vector<Group> sequential(int layers, int count)
{
    std::vector<Group> groups;
    const int length = layers / count;
    for (int i = 0; i + 1 < count; ++i)
        groups.push_back(blocks(i * length, (i + 1) * length, true));
    groups.push_back(blocks((count - 1) * length, layers, false));
    return groups;
}

std::vector<Group> halves(int layers)
{
    std::vector<Group> groups;
    for (int stage = 1; stage <= 2 * layers; ++stage)
        groups.push_back({stage, stage, true});
    return groups;
}

Result<Schedule> readPlan(const Strategy &strategy, int layers)
{
    std::ifstream file(strategy.path, std::ios::binary);
    if (!file)
        return Error{ErrorCode::refused, "The plan file '" + strategy.path + "' cannot be read; check its path."};
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    auto json = parseJson(text, "The plan file '" + strategy.path + "'");
    if (!json)
        return json.error();
    auto plan = planFromJson(*json, "'" + strategy.path + "'");
    if (!plan)
        return plan.error();
    if (plan->schedule.stages != 2 * layers + 2)
        return Error{ErrorCode::refused,
                     "The plan '" + strategy.path + "' is for " + std::to_string(plan->schedule.stages)
                         + " stages, but a model of " + std::to_string(layers) + " layers has "
                         + std::to_string(2 * layers + 2) + "; use a plan made for this model."};
    return std::move(plan->schedule);
}

bool numberFits(const Strategy &strategy, int layers)
{
    switch (strategy.kind) {
    case StrategyKind::every:
    case StrategyKind::segments:
    case StrategyKind::sequential:
    case StrategyKind::first:
    case StrategyKind::last:
        return strategy.n >= 1 && strategy.n <= layers;
    case StrategyKind::layers:
        return strategy.layers.back() < layers;
    default:
        return true;
    }
}

std::vector<Group> groupsOf(const Strategy &strategy, int layers)
{
    const int n = strategy.n;
    switch (strategy.kind) {
    case StrategyKind::every:
        return each(layers, [n](int layer) { return layer % n == 0; });
    case StrategyKind::segments:
        return segments(layers, n);
    case StrategyKind::sequential:
        return sequential(layers, n);
    case StrategyKind::first:
        return each(layers, [n](int layer) { return layer < n; });
    case StrategyKind::last:
        return each(layers, [n, layers](int layer) { return layer >= layers - n; });
    case StrategyKind::layers:
        return each(layers, [&](int layer) {
            return std::binary_search(strategy.layers.begin(), strategy.layers.end(), layer);
        });
    case StrategyKind::sqrt:
        return segments(layers, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(layers)))));
    case StrategyKind::halves:
        return halves(layers);
    default:
        return each(layers, [](int) { return false; });
    }
}

} // namespace

Result<Schedule> makeSchedule(const Strategy &strategy, int layers, std::string_view feedForwardOption)
{
    if (layers < 1)
        return Error{ErrorCode::refused, "A model of " + std::to_string(layers) + " layers has no schedule."};
    if (!numberFits(strategy, layers))
        return Error{
            ErrorCode::usage,
            "The strategy '" + strategy.text + "' does not fit a model of " + std::to_string(layers) + " layers; "
                + (strategy.kind == StrategyKind::layers ? "layers are numbered from 0 to " + std::to_string(layers - 1)
                                                         : "its number goes from 1 to " + std::to_string(layers))
                + "."};
    if (strategy.kind == StrategyKind::file)
        return readPlan(strategy, layers);
    Builder builder(layers, feedForwardOption);
    if (strategy.kind == StrategyKind::recursive)
        return builder.recursive();
    if (strategy.kind == StrategyKind::inputOnly)
        return builder.inputOnly();
    return builder.grouped(groupsOf(strategy, layers));
}

} // namespace remat::core
