// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/block_costs.h"

#include <algorithm>

namespace remat::core::formula {

namespace {

/// Frozen stages in front make the first trained block another one than the rest: two blocks show both.
int siblingLayers(const ModelConfig &model, const Workload &workload)
{
    return chainShape(model, workload).firstTrainable > 0 ? std::min(2, model.layers) : 1;
}

std::string saveCode(int stage, const std::string &option)
{
    return toString(Op{OpKind::forwardSave, stage, option});
}

WorkAmount amount(const WorkCount &work)
{
    return {work.flops, work.bytesMoved};
}

} // namespace

BlockCosts::BlockCosts(const ModelConfig &model, const Workload &workload, int layer,
                       const std::vector<std::string> &options)
    : m_sibling(model), m_small(workload)
{
    m_sibling.layers = siblingLayers(model, workload);
    if (!model.layerForms.empty())
        m_sibling.layerForms.assign(static_cast<std::size_t>(m_sibling.layers), model.formOf(layer));
    m_small.microBatches = std::min(workload.microBatches, 2);
    if (m_small.train.kind == TrainKind::last)
        m_small.train.n = m_sibling.layers;
    m_shape = chainShape(m_sibling, m_small);
    m_keepAll.emplace(m_sibling, m_small, keepAllList(m_shape, {}));
    m_rerunBlocks.emplace(m_sibling, m_small, rerunBlocksList(m_shape, {}));
    m_rerunAll.emplace(m_sibling, m_small, rerunAllList(m_shape));
    for (const StageOptionPair &pair : pairUp(options, m_shape))
        m_options.push_back({pair, StepRun(m_sibling, m_small, keepAllList(m_shape, pair)),
                             StepRun(m_sibling, m_small, rerunBlocksList(m_shape, pair))});
    Tape tape(workload.threads);
    const SizeModel sizes(m_sibling, m_small, tape);
    m_formConstants = sizes.formConstantBytes();
    m_otherConstants = sizes.otherConstantBytes();
    m_inputBytes = sizes.inputBytes();
}

std::int64_t BlockCosts::trainedElements() const
{
    return countParameters(m_sibling, m_small.train).trainable;
}

bool BlockCosts::isApproximate() const
{
    return m_keepAll->isApproximate();
}

Bytes BlockCosts::boundary(int boundary) const
{
    const bool pooled = boundary == m_shape.stages() && m_sibling.head == HeadKind::sequence;
    return m_small.batch * (pooled ? 1 : m_small.seq) * m_sibling.width * computeElementSize(m_small.dtype);
}

Bytes BlockCosts::remembered(int stage) const
{
    if (stage < m_shape.firstTrainable)
        return 0;
    const std::string code = "F" + std::to_string(stage);
    const Bytes dropped = stage > 0 && m_rerunAll->releasesInput(code) ? boundary(stage) : 0;
    return m_rerunAll->op(code, 0).activationChange - boundary(stage + 1) + dropped;
}

const StepRun &BlockCosts::phantomOf(int stage) const
{
    return m_shape.layerOf(stage) < 0 ? *m_rerunAll : *m_rerunBlocks;
}

StageCost BlockCosts::stage(int stage) const
{
    StageCost cost;
    cost.output = boundary(stage + 1);
    cost.remembered = remembered(stage);
    const auto less = [&](Transient transient) {
        return Transient{transient.total - cost.remembered, transient.activation - cost.remembered};
    };
    cost.forward = less(m_rerunAll->op("F" + std::to_string(stage), 0).transient());
    if (stage < m_shape.firstTrainable)
        return cost;
    cost.gradientGrowth = m_keepAll->op("B" + std::to_string(stage), 0).gradientChange();
    cost.options[""] = option(stage, {}, *m_keepAll, phantomOf(stage));
    for (const OptionRuns &runs : m_options) {
        const std::string &id
            = m_shape.kindOf(stage) == StageKind::feedForward ? runs.options.second : runs.options.first;
        if (m_shape.layerOf(stage) >= 0 && !id.empty())
            cost.options[id] = option(stage, id, runs.keep, runs.rerun);
    }
    for (auto &[id, each] : cost.options)
        each.forwardSave = less(each.forwardSave);
    return cost;
}

OptionCost BlockCosts::option(int stage, const std::string &id, const StepRun &kept, const StepRun &phantom) const
{
    const std::string save = saveCode(stage, id);
    const std::string back = "B" + std::to_string(stage);
    OptionCost cost;
    cost.keepsInput = stage == 0 || !phantom.releasesInput(save);
    const Bytes released = cost.keepsInput ? 0 : boundary(stage);
    cost.saved = kept.op(save, 0).activationChange - boundary(stage + 1) - remembered(stage) + released;
    cost.forwardSave = kept.op(save, 0).transient();
    cost.forwardSavePhantom = phantom.op(save, 0).transient();
    cost.backwardFirst = kept.op(back, 0).transient();
    cost.backwardLater = kept.op(back, laterMicroBatch()).transient();
    return cost;
}

StageWork BlockCosts::work(int stage) const
{
    StageWork result;
    result.forward = amount(m_rerunAll->op("F" + std::to_string(stage), 0).work);
    if (stage < m_shape.firstTrainable)
        return result;
    const auto add = [&](const std::string &id, const StepRun &kept, const StepRun &phantom) {
        const OpAccount &back = kept.op("B" + std::to_string(stage), 0);
        result.options[id]
            = {amount(kept.op(saveCode(stage, id), 0).work), amount(phantom.op(saveCode(stage, id), 0).work),
               amount(back.work - back.rebuilt), amount(back.rebuilt)};
    };
    add({}, *m_keepAll, phantomOf(stage));
    for (const OptionRuns &runs : m_options) {
        const std::string &id
            = m_shape.kindOf(stage) == StageKind::feedForward ? runs.options.second : runs.options.first;
        if (m_shape.layerOf(stage) >= 0 && !id.empty())
            add(id, runs.keep, runs.rerun);
    }
    return result;
}

} // namespace remat::core::formula
