// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/strategy.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "schedule/schedule_builder.h"

namespace remat::core {

namespace {

std::string optionFor(const StageOptions &options, const ChainShape &shape, int stage)
{
    const std::vector<int> &layers = options.layers;
    const bool meant = layers.empty() || std::binary_search(layers.begin(), layers.end(), shape.layerOf(stage));
    return meant ? options.idFor(shape.kindOf(stage)) : std::string();
}

/// The rules that rerun a block more than once.
class NestedRule
{
public:
    NestedRule(const ChainShape &shape, ScheduleBuilder builder) : m_shape(shape), m_builder(std::move(builder))
    {
        m_builder.save(0, 0);
        m_builder.forward(1, shape.finalStage() - 1);
        m_builder.save(shape.finalStage(), shape.finalStage());
        m_builder.loss();
        m_builder.backward(shape.finalStage(), shape.finalStage());
    }

    Schedule recursive()
    {
        halve(0, m_shape.layers);
        m_builder.backward(0, 0);
        return m_builder.take();
    }

    Schedule inputOnly()
    {
        for (int layer = m_shape.layers - 1; layer >= 0 && !m_builder.isFrozen(lastStageOf(layer)); --layer) {
            m_builder.forward(1, m_shape.firstStageOf(layer) - 1);
            rerunLayer(layer);
        }
        m_builder.backward(0, 0);
        return m_builder.take();
    }

private:
    [[nodiscard]] int lastStageOf(int layer) const { return m_shape.firstStageOf(layer + 1) - 1; }

    void rerunLayer(int layer)
    {
        m_builder.save(m_shape.firstStageOf(layer), lastStageOf(layer));
        m_builder.backward(lastStageOf(layer), m_shape.firstStageOf(layer));
    }
    void halve(int begin, int end)
    {
        if (m_builder.isFrozen(lastStageOf(end - 1)))
            return;
        if (end - begin == 1)
            return rerunLayer(begin);
        const int middle = (begin + end) / 2;
        m_builder.forward(m_shape.firstStageOf(begin), m_shape.firstStageOf(middle) - 1);
        halve(middle, end);
        halve(begin, middle);
    }

    ChainShape m_shape;
    ScheduleBuilder m_builder;
};

StageGroup blocks(const ChainShape &shape, int begin, int end, bool rerun)
{
    return {shape.firstStageOf(begin), shape.firstStageOf(end) - 1, rerun};
}

template <typename Predicate>
std::vector<StageGroup> each(const ChainShape &shape, Predicate isRerun)
{
    std::vector<StageGroup> groups;
    for (int layer = 0; layer < shape.layers; ++layer)
        groups.push_back(blocks(shape, layer, layer + 1, isRerun(layer)));
    return groups;
}

std::vector<StageGroup> segments(const ChainShape &shape, int length)
{
    std::vector<StageGroup> groups;
    for (int begin = 0; begin < shape.layers; begin += length)
        groups.push_back(blocks(shape, begin, std::min(begin + length, shape.layers), true));
    return groups;
}

std::vector<StageGroup> sequential(const ChainShape &shape, int count)
{
    std::vector<StageGroup> groups;
    const int length = shape.layers / count;
    for (int i = 0; i + 1 < count; ++i)
        groups.push_back(blocks(shape, i * length, (i + 1) * length, true));
    groups.push_back(blocks(shape, (count - 1) * length, shape.layers, false));
    return groups;
}

std::vector<StageGroup> halves(const ChainShape &shape)
{
    std::vector<StageGroup> groups;
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

std::vector<StageGroup> groupsOf(const Strategy &strategy, const ChainShape &shape)
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
    if (strategy.kind == StrategyKind::budget)
        return Error{ErrorCode::refused,
                     "The schedule of '" + strategy.text
                         + "' is planned from costs and is not known before; `remat plan` finds it."};
    if (strategy.kind == StrategyKind::file)
        return readPlan(strategy, shape);
    ScheduleBuilder builder(shape.stages(), shape.firstTrainable,
                            [&](int stage) { return optionFor(strategy.options, shape, stage); });
    if (strategy.kind == StrategyKind::recursive)
        return NestedRule(shape, std::move(builder)).recursive();
    if (strategy.kind == StrategyKind::inputOnly)
        return NestedRule(shape, std::move(builder)).inputOnly();
    std::vector<StageGroup> groups = groupsOf(strategy, shape);
    groups.insert(groups.begin(), {0, 0, false});
    groups.push_back({shape.finalStage(), shape.finalStage(), false});
    return groupedSchedule(std::move(builder), groups);
}

} // namespace remat::core
