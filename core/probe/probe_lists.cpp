// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "probe/probe_lists.h"

#include <algorithm>

#include "schedule/schedule_builder.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

ScheduleBuilder builderFor(const ChainShape &shape, const ProbeOptions &options)
{
    return {shape.stages(), shape.firstTrainable, [shape, options](int stage) { return options.idFor(shape, stage); }};
}

/// Every block again from its input, the last one first; stage by stage from the last, each straight into its backward.
void rerunBlocks(ScheduleBuilder &list, const ChainShape &shape)
{
    for (int layer = shape.layers - 1; layer >= 0; --layer) {
        const int first = shape.firstStageOf(layer);
        for (int stage = shape.firstStageOf(layer + 1) - 1; stage >= first && !list.isFrozen(stage); --stage) {
            list.forward(first, stage - 1);
            list.save(stage, stage);
            list.backward(stage, stage);
        }
    }
}

bool belongsTo(StageKind half, const std::string &option)
{
    const auto &ids = optionIds(half);
    return std::find(ids.begin(), ids.end(), option) != ids.end();
}

} // namespace

const std::string &ProbeOptions::idFor(const ChainShape &shape, int stage) const
{
    static const std::string none;
    if (shape.layerOf(stage) < 0)
        return none;
    return shape.kindOf(stage) == StageKind::feedForward ? second : first;
}

std::vector<ProbeOptions> pairUp(const std::vector<std::string> &options, const ChainShape &shape)
{
    std::vector<std::string> firsts;
    std::vector<std::string> seconds;
    for (const std::string &option : options) {
        if (shape.stagesPerLayer == 1 || belongsTo(StageKind::attention, option))
            firsts.push_back(option);
        if (shape.stagesPerLayer > 1 && belongsTo(StageKind::feedForward, option))
            seconds.push_back(option);
    }
    std::vector<ProbeOptions> runs(std::max(firsts.size(), seconds.size()));
    for (std::size_t i = 0; i < firsts.size(); ++i)
        runs[i].first = firsts[i];
    for (std::size_t i = 0; i < seconds.size(); ++i)
        runs[i].second = seconds[i];
    return runs;
}

Schedule keepAllList(const ChainShape &shape, const ProbeOptions &options)
{
    return groupedSchedule(builderFor(shape, options), {{0, shape.finalStage(), false}});
}

Schedule rerunBlocksList(const ChainShape &shape, const ProbeOptions &options)
{
    ScheduleBuilder list = builderFor(shape, options);
    const int norm = shape.finalStage();
    list.save(0, 0);
    list.forward(1, norm - 1);
    list.save(norm, norm);
    list.loss();
    list.backward(norm, norm);
    rerunBlocks(list, shape);
    list.backward(0, 0);
    return list.take();
}

Schedule rerunAllList(const ChainShape &shape)
{
    ScheduleBuilder list = builderFor(shape, {});
    const int norm = shape.finalStage();
    list.forward(0, norm);
    list.loss();
    list.save(norm, norm);
    list.backward(norm, norm);
    rerunBlocks(list, shape);
    if (!list.isFrozen(0)) {
        list.save(0, 0);
        list.backward(0, 0);
    }
    return list.take();
}

} // namespace remat::core
