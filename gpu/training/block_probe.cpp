// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/block_probe.h"

#include <algorithm>

#include "schedule/liveness.h"

namespace remat::gpu {

using core::Bytes;
using core::Category;
using core::OptionCost;
using core::Result;
using core::StageCost;

namespace {

constexpr int kWarmUpSteps = 2;

/// Frozen stages in front make the first trained block another one than the rest: two blocks show both.
int siblingLayers(const core::ModelConfig &model, const core::Workload &workload)
{
    return core::chainShape(model, workload).firstTrainable > 0 ? std::min(2, model.layers) : 1;
}

} // namespace

BlockProbe::BlockProbe(const core::ModelConfig &model, const core::Workload &workload, int layer)
    : m_sibling(model), m_small(workload)
{
    const int layers = siblingLayers(model, workload);
    m_sibling.layers = layers;
    if (!model.layerForms.empty())
        m_sibling.layerForms.assign(static_cast<std::size_t>(layers), model.formOf(layer));
    // Later micro-batches are all alike: the second shows them.
    m_small.microBatches = std::min(workload.microBatches, 2);
    if (m_small.train.kind == core::TrainKind::last)
        m_small.train.n = layers;
    m_shape = core::chainShape(m_sibling, m_small);
}

Result<void> BlockProbe::run(const std::vector<std::string> &options, DeviceParts &parts, const std::stop_token &stop)
{
    auto made = TorchWorkload::make(m_sibling, m_small, parts);
    if (!made)
        return made.error();
    m_formConstants = (*made)->model().formConstantBytes();
    const auto probe = [&](const core::Schedule &list, int times = 1) {
        auto result = ProbeRun::make(**made, list, stop);
        for (int i = 1; result && i < times; ++i)
            result = ProbeRun::make(**made, list, stop);
        return result;
    };
    // The first list twice: optimizer state and workspaces appear in the first steps.
    for (auto &[list, slot, times] : {std::tuple{keepAllList(m_shape, {}), &m_keepAll, kWarmUpSteps},
                                      {rerunBlocksList(m_shape, {}), &m_rerunBlocks, 1},
                                      {rerunAllList(m_shape), &m_rerunAll, 1}}) {
        auto result = probe(list, times);
        if (!result)
            return result.error();
        *slot = std::move(*result);
    }
    for (const ProbeOptions &pair : pairUp(options, m_shape)) {
        auto keep = probe(keepAllList(m_shape, pair));
        if (!keep)
            return keep.error();
        auto rerun = probe(rerunBlocksList(m_shape, pair));
        if (!rerun)
            return rerun.error();
        m_options.push_back({pair, std::move(*keep), std::move(*rerun)});
    }
    return {};
}

Bytes BlockProbe::otherConstants() const
{
    return m_keepAll->recording().baseline[static_cast<std::size_t>(Category::constant)] - m_formConstants;
}

/// Bytes of the tensor that enters a stage. A pooler leaves one position of each sequence.
Bytes BlockProbe::boundary(int boundary) const
{
    const bool pooled = boundary == m_shape.stages() && m_sibling.head == core::HeadKind::sequence;
    return m_small.batch * (pooled ? 1 : m_small.seq) * m_sibling.width * core::computeElementSize(m_small.dtype);
}

/// What stays after a first forward beside the output.
Bytes BlockProbe::remembered(int stage) const
{
    if (stage < m_shape.firstTrainable)
        return 0;
    const std::string code = "F" + std::to_string(stage);
    const Bytes dropped = stage > 0 && m_rerunAll->releasesInput(code) ? boundary(stage) : 0;
    return m_rerunAll->memory(code, 0, 0).activationChange() - boundary(stage + 1) + dropped;
}

StageCost BlockProbe::stage(int stage)
{
    const std::string number = std::to_string(stage);
    const bool edge = m_shape.layerOf(stage) < 0;
    StageCost cost;
    cost.output = boundary(stage + 1);
    cost.remembered = remembered(stage);
    const auto less = [&](core::Transient transient) {
        return core::Transient{transient.total - cost.remembered, transient.activation - cost.remembered};
    };
    cost.forward = less(m_rerunAll->memory("F" + number, 0, 0).transient());
    cost.forwardNs = m_rerunAll->ns("F" + number);
    if (stage < m_shape.firstTrainable)
        return cost;
    cost.gradientGrowth = m_keepAll->memory("B" + number, 0, 0).gradientChange();
    cost.options[""] = option(stage, {}, *m_keepAll, edge ? *m_rerunAll : *m_rerunBlocks);
    for (const OptionRuns &runs : m_options) {
        const std::string &id
            = m_shape.kindOf(stage) == core::StageKind::feedForward ? runs.options.second : runs.options.first;
        if (!edge && !id.empty())
            cost.options[id] = option(stage, id, runs.keep, runs.rerun);
    }
    for (auto &[id, each] : cost.options)
        each.forwardSave = less(each.forwardSave);
    return cost;
}

OptionCost BlockProbe::option(int stage, const std::string &id, const ProbeRun &kept, const ProbeRun &phantom)
{
    const std::string save = saveCode(stage, id);
    const std::string back = "B" + std::to_string(stage);
    const OpMemory &saved = kept.memory(save, 0, 0);
    const OpMemory &first = kept.memory(back, 0, 0);
    OptionCost cost;
    cost.keepsInput = stage == 0 || !phantom.releasesInput(save);
    const Bytes released = cost.keepsInput ? 0 : boundary(stage);
    cost.saved = saved.activationChange() - boundary(stage + 1) - remembered(stage) + released;
    cost.forwardSave = saved.transient();
    cost.forwardSavePhantom = phantom.memory(save, 0, 0).transient();
    cost.backwardFirst = first.transient();
    cost.backwardLater = kept.memory(back, 0, laterMicroBatch()).transient();
    cost.forwardSaveNs = kept.ns(save);
    cost.phantomNs = phantom.ns(save);
    cost.rebuildNs = kept.rebuildNs(back);
    cost.backwardNs = kept.ns(back) - cost.rebuildNs;
    // A backward swaps dy for dx and frees graph, remembered choice and pinned input.
    const Bytes pinned = stage > 0 && cost.keepsInput ? boundary(stage) : 0;
    const Bytes expected
        = (takesGradient(stage) ? boundary(stage) : 0) - boundary(stage + 1) - cost.saved - remembered(stage) - pinned;
    if (first.activationChange() != expected)
        m_problem = "The memory of " + back
            + " in the small model of the probe is not explained by what its stage keeps ("
            + std::to_string(first.activationChange() - expected)
            + " bytes are left over), so no exact prediction can be made.";
    return cost;
}

} // namespace remat::gpu
