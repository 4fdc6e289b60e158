// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/probe_lists.h"

#include <algorithm>

#include "schedule/strategy.h"

namespace remat::gpu {

using core::ChainShape;
using core::OpKind;
using core::Schedule;
using core::StageKind;

namespace {

class ListBuilder
{
public:
    ListBuilder(const ChainShape &shape, const ProbeOptions &options) : m_shape(shape), m_options(options)
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
    /// A stage below the first trainable one has no graph.
    void save(int stage)
    {
        if (isTrained(stage))
            add(OpKind::forwardSave, stage, optionOf(stage));
        else
            forward(stage);
    }

    /// A block again from its input, stage by stage from the last, each with its graph and straight into its backward.
    void rerun(int layer)
    {
        const int first = m_shape.firstStageOf(layer);
        const int end = m_shape.firstStageOf(layer + 1);
        for (int stage = end - 1; stage >= first; --stage) {
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
        switch (m_shape.kindOf(stage)) {
        case StageKind::attention:
        case StageKind::block:
            return m_options.first;
        case StageKind::feedForward:
            return m_options.second;
        default:
            return {};
        }
    }

    ChainShape m_shape;
    ProbeOptions m_options;
    Schedule m_schedule;
};

bool belongsTo(StageKind half, const std::string &option)
{
    const auto &ids = core::optionIds(half);
    return std::find(ids.begin(), ids.end(), option) != ids.end();
}

} // namespace

std::vector<ProbeOptions> pairUp(const std::vector<std::string> &options, const ChainShape &shape)
{
    std::vector<std::string> firsts;
    std::vector<std::string> seconds;
    for (const std::string &option : options) {
        if (shape.stagesPerLayer == 1) {
            firsts.push_back(option);
            continue;
        }
        if (belongsTo(StageKind::attention, option))
            firsts.push_back(option);
        if (belongsTo(StageKind::feedForward, option))
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
    ListBuilder list(shape, options);
    for (int stage = 0; stage < shape.stages(); ++stage)
        list.save(stage);
    list.loss();
    for (int stage = shape.finalStage(); stage >= 0; --stage)
        list.backward(stage);
    return list.take();
}

Schedule rerunBlocksList(const ChainShape &shape, const ProbeOptions &options)
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

std::string saveCode(int stage, const std::string &option)
{
    return core::toString(core::Op{OpKind::forwardSave, stage, option});
}

} // namespace remat::gpu
