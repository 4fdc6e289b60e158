// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/formula_costs.h"

#include <algorithm>
#include <memory>

#include "formula/block_costs.h"
#include "formula/state_formula.h"

namespace remat::core {

namespace {

using formula::BlockCosts;

/// One BlockCosts per kind of block that occurs.
class Kinds
{
public:
    Kinds(const ModelConfig &model, const Workload &workload, const std::vector<std::string> &options)
        : m_model(model), m_shape(chainShape(model, workload))
    {
        for (int layer = 0; layer < model.layers; ++layer) {
            const LayerForm form = model.formOf(layer);
            const auto known = std::find(m_forms.begin(), m_forms.end(), form);
            m_kindOfLayer.push_back(static_cast<std::size_t>(known - m_forms.begin()));
            if (known != m_forms.end())
                continue;
            m_forms.push_back(form);
            m_kinds.push_back(std::make_unique<BlockCosts>(model, workload, layer, options));
        }
    }

    [[nodiscard]] const BlockCosts &first() const { return *m_kinds.front(); }
    [[nodiscard]] const std::vector<std::unique_ptr<BlockCosts>> &all() const { return m_kinds; }
    [[nodiscard]] const ChainShape &shape() const { return m_shape; }

    /// Calls `visit` with the kind and the stage of its sibling that stand for each stage, in order.
    template <typename Visit>
    void eachStage(Visit visit) const
    {
        visit(first(), 0);
        for (int layer = 0; layer < m_model.layers; ++layer) {
            const BlockCosts &kind = *m_kinds[m_kindOfLayer[static_cast<std::size_t>(layer)]];
            const bool like = m_shape.firstStageOf(layer) <= std::max(1, m_shape.firstTrainable);
            const int block = like ? 0 : kind.shape().layers - 1;
            for (int i = 0; i < m_shape.stagesPerLayer; ++i)
                visit(kind, kind.shape().firstStageOf(block) + i);
        }
        visit(first(), first().shape().finalStage());
    }

    /// Masks and rotary tables exist once per form of attention.
    [[nodiscard]] Bytes formConstants() const
    {
        Bytes bytes = 0;
        for (std::size_t i = 0; i < m_forms.size(); ++i) {
            const auto same = [&](const LayerForm &form) {
                return form.windowed == m_forms[i].windowed && form.rotary == m_forms[i].rotary;
            };
            if (std::find_if(m_forms.begin(), m_forms.end(), same) == m_forms.begin() + static_cast<std::ptrdiff_t>(i))
                bytes += m_kinds[i]->formConstants();
        }
        return bytes;
    }

private:
    const ModelConfig &m_model;
    ChainShape m_shape;
    std::vector<LayerForm> m_forms;
    std::vector<std::size_t> m_kindOfLayer;
    std::vector<std::unique_ptr<BlockCosts>> m_kinds;
};

Result<void> checkOptions(const std::vector<std::string> &options)
{
    for (const std::string &option : options)
        if (!formula::blockOption(option))
            return Error{ErrorCode::usage,
                         "The option '" + option
                             + "' is unknown, so its bytes cannot be computed; see the table of "
                               "options for the ids that exist."};
    return {};
}

/// Frozen stages remember nothing; what they would is a transient of theirs.
void freeze(StageCost &cost)
{
    cost.options.clear();
    cost.options[""] = {};
    cost.forward.total += cost.remembered;
    cost.forward.activation += cost.remembered;
    cost.gradientGrowth = cost.remembered = 0;
}

Transient optimizerTransient(const Kinds &kinds, const Workload &workload)
{
    Transient most;
    for (const char *section : {"unscale", "clip", "optimizer"}) {
        const std::string name = section;
        const bool exists = name == "optimizer" || (name == "clip" ? workload.clip > 0 : formula::needsScale(workload));
        if (!exists)
            continue;
        for (const auto &kind : kinds.all()) {
            const Transient transient = kind->keepAll().op(name, kind->laterMicroBatch()).transient();
            most = {std::max(most.total, transient.total), std::max(most.activation, transient.activation)};
        }
    }
    return most;
}

} // namespace

Result<ChainCosts> formulaCosts(const ModelConfig &model, const Workload &workload,
                                const std::vector<std::string> &options)
{
    if (auto checked = checkOptions(options); !checked)
        return checked.error();
    const Kinds kinds(model, workload, options);
    ChainCosts costs;
    costs.source = CostSource::formula;
    costs.firstTrainable = kinds.shape().firstTrainable;
    kinds.eachStage([&](const BlockCosts &kind, int stage) { costs.stages.push_back(kind.stage(stage)); });
    for (int stage = 0; stage < costs.firstTrainable; ++stage)
        freeze(costs.stages[static_cast<std::size_t>(stage)]);
    const formula::StepRun &keepAll = kinds.first().keepAll();
    const formula::OpAccount &loss = keepAll.op("L", 0);
    costs.loss
        = {loss.transient(), keepAll.op("L", kinds.first().laterMicroBatch()).transient(), loss.gradientChange(), 0};
    costs.microBatches = workload.microBatches;
    costs.gradientsKept = workload.gradients == GradientRule::kept;
    costs.staticBytes = formula::staticBytesOf(
        model, workload, {kinds.first().inputBytes(), kinds.formConstants() + kinds.first().otherConstants()});
    costs.optimizer = optimizerTransient(kinds, workload);
    return costs;
}

bool isFormulaApproximate(const ModelConfig &model, const Workload &workload)
{
    if (workload.device.starts_with("cuda"))
        return true;
    const Kinds kinds(model, workload, {});
    return std::any_of(kinds.all().begin(), kinds.all().end(), [](const auto &kind) { return kind->isApproximate(); });
}

WorkAmount ChainWork::stepWork() const
{
    WorkAmount sum = loss;
    const auto add = [&sum](const WorkAmount &work) {
        sum.flops += work.flops;
        sum.bytesMoved += work.bytesMoved;
    };
    for (const StageWork &stage : stages) {
        if (const auto kept = stage.options.find(""); kept != stage.options.end()) {
            add(kept->second.forwardSave);
            add(kept->second.backward);
        } else {
            add(stage.forward);
        }
    }
    return sum;
}

Result<ChainWork> formulaWork(const ModelConfig &model, const Workload &workload,
                              const std::vector<std::string> &options)
{
    if (auto checked = checkOptions(options); !checked)
        return checked.error();
    const Kinds kinds(model, workload, options);
    ChainWork work;
    kinds.eachStage([&](const BlockCosts &kind, int stage) { work.stages.push_back(kind.work(stage)); });
    const formula::WorkCount loss = kinds.first().keepAll().op("L", 0).work;
    work.loss = {loss.flops, loss.bytesMoved};
    const double share = static_cast<double>(countParameters(model, workload.train).trainable)
        / static_cast<double>(kinds.first().trainedElements());
    const formula::WorkCount update = kinds.first().keepAll().op("optimizer", kinds.first().laterMicroBatch()).work;
    work.optimizer = {share * update.flops, share * update.bytesMoved};
    return work;
}

} // namespace remat::core
