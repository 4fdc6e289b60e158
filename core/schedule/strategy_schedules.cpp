// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace remat::core {

namespace {

/// A run of stages [first, last] that is either kept whole or rerun whole from its first input.
struct Group
{
    int first;
    int last;
    bool rerun;
};

/// Appends ops; the one place that knows the order of ops inside a group, and that stages below the first trainable one
/// are only run forward, whatever the rule says of them.
class Builder
{
public:
    Builder(const ChainShape &shape, const StageOptions &options) : m_shape(shape), m_options(options)
    {
        m_schedule.stages = shape.stages();
    }

    Schedule grouped(const std::vector<Group> &groups)
    {
        save(0, 0);
        for (const Group &group : groups)
            group.rerun ? forward(group.first, group.last) : save(group.first, group.last);
        turn();
        for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
            if (isFrozen(group->last))
                break;
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
        forward(1, m_shape.finalStage() - 1);
        turn();
        halve(0, m_shape.layers);
        backward(0, 0);
        return std::move(m_schedule);
    }

    Schedule inputOnly()
    {
        save(0, 0);
        forward(1, m_shape.finalStage() - 1);
        turn();
        for (int layer = m_shape.layers - 1; layer >= 0 && !isFrozen(lastStageOf(layer)); --layer) {
            forward(1, m_shape.firstStageOf(layer) - 1);
            rerunLayer(layer);
        }
        backward(0, 0);
        return std::move(m_schedule);
    }

private:
    [[nodiscard]] bool isFrozen(int stage) const { return stage < m_shape.firstTrainable; }
    [[nodiscard]] int lastStageOf(int layer) const { return m_shape.firstStageOf(layer + 1) - 1; }

    [[nodiscard]] std::string optionOf(int stage) const
    {
        const std::vector<int> &layers = m_options.layers;
        const bool meant = layers.empty() || std::binary_search(layers.begin(), layers.end(), m_shape.layerOf(stage));
        return meant ? m_options.idFor(m_shape.kindOf(stage)) : std::string();
    }

    void forward(int first, int last)
    {
        for (int stage = first; stage <= last; ++stage)
            m_schedule.ops.push_back({OpKind::forward, stage, {}});
    }
    void save(int first, int last)
    {
        for (int stage = first; stage <= last; ++stage) {
            if (isFrozen(stage))
                forward(stage, stage);
            else
                m_schedule.ops.push_back({OpKind::forwardSave, stage, optionOf(stage)});
        }
    }
    void backward(int last, int first)
    {
        for (int stage = last; stage >= first && !isFrozen(stage); --stage)
            m_schedule.ops.push_back({OpKind::backward, stage, {}});
    }
    void turn()
    {
        const int norm = m_shape.finalStage();
        save(norm, norm);
        m_schedule.ops.push_back({OpKind::loss, -1, {}});
        backward(norm, norm);
    }
    void rerunLayer(int layer)
    {
        save(m_shape.firstStageOf(layer), lastStageOf(layer));
        backward(lastStageOf(layer), m_shape.firstStageOf(layer));
    }
    void halve(int begin, int end)
    {
        if (isFrozen(lastStageOf(end - 1)))
            return;
        if (end - begin == 1)
            return rerunLayer(begin);
        const int middle = (begin + end) / 2;
        forward(m_shape.firstStageOf(begin), m_shape.firstStageOf(middle) - 1);
        halve(middle, end);
        halve(begin, middle);
    }

    ChainShape m_shape;
    const StageOptions &m_options;
    Schedule m_schedule;
};

Group blocks(const ChainShape &shape, int begin, int end, bool rerun)
{
    return {shape.firstStageOf(begin), shape.firstStageOf(end) - 1, rerun};
}

template <typename Predicate>
std::vector<Group> each(const ChainShape &shape, Predicate isRerun)
{
    std::vector<Group> groups;
    for (int layer = 0; layer < shape.layers; ++layer)
        groups.push_back(blocks(shape, layer, layer + 1, isRerun(layer)));
    return groups;
}

std::vector<Group> segments(const ChainShape &shape, int length)
{
    std::vector<Group> groups;
    for (int begin = 0; begin < shape.layers; begin += length)
        groups.push_back(blocks(shape, begin, std::min(begin + length, shape.layers), true));
    return groups;
}

std::vector<Group> sequential(const ChainShape &shape, int count)
{
    std::vector<Group> groups;
    const int length = shape.layers / count;
    for (int i = 0; i + 1 < count; ++i)
        groups.push_back(blocks(shape, i * length, (i + 1) * length, true));
    groups.push_back(blocks(shape, (count - 1) * length, shape.layers, false));
    return groups;
}

std::vector<Group> halves(const ChainShape &shape)
{
    std::vector<Group> groups;
    for (int stage = 1; stage < shape.finalStage(); ++stage)
        groups.push_back({stage, stage, true});
    return groups;
}

Result<Schedule> readPlan(const Strategy &strategy, const ChainShape &shape)
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
    if (plan->schedule.stages != shape.stages())
        return Error{ErrorCode::refused,
                     "The plan '" + strategy.path + "' is for " + std::to_string(plan->schedule.stages)
                         + " stages, but this model of " + std::to_string(shape.layers) + " layers has "
                         + std::to_string(shape.stages()) + "; use a plan made for this model."};
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

std::vector<Group> groupsOf(const Strategy &strategy, const ChainShape &shape)
{
    const int n = strategy.n;
    switch (strategy.kind) {
    case StrategyKind::every:
        return each(shape, [n](int layer) { return layer % n == 0; });
    case StrategyKind::segments:
        return segments(shape, n);
    case StrategyKind::sequential:
        return sequential(shape, n);
    case StrategyKind::first:
        return each(shape, [n](int layer) { return layer < n; });
    case StrategyKind::last:
        return each(shape, [n, &shape](int layer) { return layer >= shape.layers - n; });
    case StrategyKind::layers:
        return each(shape, [&](int layer) {
            return std::binary_search(strategy.layers.begin(), strategy.layers.end(), layer);
        });
    case StrategyKind::sqrt:
        return segments(shape, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(shape.layers)))));
    case StrategyKind::halves:
        return halves(shape);
    default:
        return each(shape, [](int) { return false; });
    }
}

Error misfit(const Strategy &strategy, int layers, bool layersOnly)
{
    return {ErrorCode::usage,
            "The strategy '" + strategy.text + "' does not fit a model of " + std::to_string(layers) + " layers; "
                + (layersOnly ? "layers are numbered from 0 to " + std::to_string(layers - 1)
                              : "its number goes from 1 to " + std::to_string(layers))
                + "."};
}

} // namespace

Result<Schedule> makeSchedule(const Strategy &strategy, const ChainShape &shape)
{
    if (shape.layers < 1)
        return Error{ErrorCode::refused, "A model of " + std::to_string(shape.layers) + " layers has no schedule."};
    if (!numberFits(strategy, shape.layers))
        return misfit(strategy, shape.layers, strategy.kind == StrategyKind::layers);
    if (!strategy.options.layers.empty() && strategy.options.layers.back() >= shape.layers)
        return misfit(strategy, shape.layers, true);
    if (strategy.kind == StrategyKind::file)
        return readPlan(strategy, shape);
    Builder builder(shape, strategy.options);
    if (strategy.kind == StrategyKind::recursive)
        return builder.recursive();
    if (strategy.kind == StrategyKind::inputOnly)
        return builder.inputOnly();
    return builder.grouped(groupsOf(strategy, shape));
}

} // namespace remat::core
