// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/step_run.h"
#include "schedule/strategy.h"

namespace remat::core::formula {

namespace {

class ListBuilder
{
public:
    ListBuilder(const ChainShape &shape, const StageOptionPair &options) : m_shape(shape), m_options(options)
    {
        m_schedule.stages = shape.stages();
    }

    void forward(int stage) { add(OpKind::forward, stage, {}); }
    void loss() { add(OpKind::loss, -1, {}); }
    void backward(int stage)
    {
        if (isTrained(stage))
            add(OpKind::backward, stage, {});
    }
    void save(int stage)
    {
        if (isTrained(stage))
            add(OpKind::forwardSave, stage, optionOf(stage));
        else
            forward(stage);
    }
    /// A block again from its input, stage by stage from the last, each straight into its backward.
    void rerun(int layer)
    {
        const int first = m_shape.firstStageOf(layer);
        for (int stage = m_shape.firstStageOf(layer + 1) - 1; stage >= first; --stage) {
            if (!isTrained(stage))
                continue;
            for (int before = first; before < stage; ++before)
                forward(before);
            save(stage);
            backward(stage);
        }
    }
    [[nodiscard]] Schedule take() { return std::move(m_schedule); }

private:
    [[nodiscard]] bool isTrained(int stage) const { return stage >= m_shape.firstTrainable; }
    void add(OpKind kind, int stage, const std::string &option) { m_schedule.ops.push_back({kind, stage, option}); }
    [[nodiscard]] std::string optionOf(int stage) const
    {
        if (m_shape.layerOf(stage) < 0)
            return {};
        return m_shape.kindOf(stage) == StageKind::feedForward ? m_options.second : m_options.first;
    }

    ChainShape m_shape;
    StageOptionPair m_options;
    Schedule m_schedule;
};

bool belongsTo(StageKind half, const std::string &option)
{
    const auto &ids = optionIds(half);
    return std::find(ids.begin(), ids.end(), option) != ids.end();
}

} // namespace

std::vector<StageOptionPair> pairUp(const std::vector<std::string> &options, const ChainShape &shape)
{
    std::vector<std::string> firsts;
    std::vector<std::string> seconds;
    for (const std::string &option : options) {
        if (shape.stagesPerLayer == 1 || belongsTo(StageKind::attention, option))
            firsts.push_back(option);
        if (shape.stagesPerLayer > 1 && belongsTo(StageKind::feedForward, option))
            seconds.push_back(option);
    }
    std::vector<StageOptionPair> pairs(std::max(firsts.size(), seconds.size()));
    for (std::size_t i = 0; i < firsts.size(); ++i)
        pairs[i].first = firsts[i];
    for (std::size_t i = 0; i < seconds.size(); ++i)
        pairs[i].second = seconds[i];
    return pairs;
}

Schedule keepAllList(const ChainShape &shape, const StageOptionPair &options)
{
    ListBuilder list(shape, options);
    for (int stage = 0; stage < shape.stages(); ++stage)
        list.save(stage);
    list.loss();
    for (int stage = shape.finalStage(); stage >= 0; --stage)
        list.backward(stage);
    return list.take();
}

Schedule rerunBlocksList(const ChainShape &shape, const StageOptionPair &options)
{
    ListBuilder list(shape, options);
    list.save(0);
    for (int stage = 1; stage < shape.finalStage(); ++stage)
        list.forward(stage);
    list.save(shape.finalStage());
    list.loss();
    list.backward(shape.finalStage());
    for (int layer = shape.layers - 1; layer >= 0; --layer)
        list.rerun(layer);
    list.backward(0);
    return list.take();
}

Schedule rerunAllList(const ChainShape &shape)
{
    ListBuilder list(shape, {});
    for (int stage = 0; stage < shape.stages(); ++stage)
        list.forward(stage);
    list.loss();
    list.save(shape.finalStage());
    list.backward(shape.finalStage());
    for (int layer = shape.layers - 1; layer >= 0; --layer)
        list.rerun(layer);
    if (shape.firstTrainable == 0) {
        list.save(0);
        list.backward(0);
    }
    return list.take();
}

} // namespace remat::core::formula
