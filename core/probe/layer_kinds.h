// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "probe/sibling_costs.h"

namespace remat::core {

/// One sibling for each kind of block of a model, and the chain that is put together from them. A `Kind` has costs(), its
/// SiblingCosts, and formConstants(), the bytes of masks and tables that belong to its form of attention. A value; made
/// once, then only read.
template <typename Kind>
class LayerKinds
{
public:
    LayerKinds(const ModelConfig &model, const Workload &workload)
        : m_model(model), m_workload(workload), m_shape(chainShape(model, workload))
    {
    }

    /// `make(layer)` yields a Result<std::unique_ptr<Kind>> for the kind of that layer.
    template <typename Make>
    [[nodiscard]] Result<void> make(Make make)
    {
        for (int layer = 0; layer < m_model.layers; ++layer) {
            const LayerForm form = m_model.formOf(layer);
            const auto known = std::find(m_forms.begin(), m_forms.end(), form);
            m_kindOfLayer.push_back(static_cast<std::size_t>(known - m_forms.begin()));
            if (known != m_forms.end())
                continue;
            auto made = make(layer);
            if (!made)
                return made.error();
            m_forms.push_back(form);
            m_kinds.push_back(std::move(*made));
        }
        return {};
    }

    [[nodiscard]] const Kind &first() const { return *m_kinds.front(); }
    [[nodiscard]] const std::vector<std::unique_ptr<Kind>> &all() const { return m_kinds; }

    /// Calls visit(kind, stage of its sibling) for each stage of the model, in order. In a sibling of two blocks the first
    /// one stands for the first trained block (and for frozen ones, of which only the forward counts), the last one for all
    /// others.
    template <typename Visit>
    void eachStage(Visit visit) const
    {
        visit(first(), 0);
        for (int layer = 0; layer < m_model.layers; ++layer) {
            const Kind &kind = *m_kinds[m_kindOfLayer[static_cast<std::size_t>(layer)]];
            const ChainShape &small = kind.costs().shape();
            const bool like = m_shape.firstStageOf(layer) <= std::max(1, m_shape.firstTrainable);
            const int block = like ? 0 : small.layers - 1;
            for (int i = 0; i < m_shape.stagesPerLayer; ++i)
                visit(kind, small.firstStageOf(block) + i);
        }
        visit(first(), first().costs().shape().finalStage());
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

    /// Stages, loss and the optimizer's transient; static bytes and what lies between the ops are the caller's.
    [[nodiscard]] Result<ChainCosts> chainCosts(CostSource source) const
    {
        ChainCosts costs;
        costs.source = source;
        costs.firstTrainable = m_shape.firstTrainable;
        Result<void> failure;
        eachStage([&](const Kind &kind, int stage) {
            auto cost = kind.costs().stage(stage);
            if (cost)
                costs.stages.push_back(std::move(*cost));
            else
                failure = cost.error();
        });
        if (!failure)
            return failure.error();
        for (int stage = 0; stage < costs.firstTrainable; ++stage)
            freeze(costs.stages[static_cast<std::size_t>(stage)]);
        const auto &keepAll = first().costs().keepAll();
        const int later = first().costs().sibling().laterMicroBatch();
        const auto &loss = keepAll.memory("L", 0);
        costs.loss = {loss.transient(), keepAll.memory("L", later).transient(), loss.gradientChange(), keepAll.ns("L")};
        costs.microBatches = m_workload.microBatches;
        costs.gradientsKept = m_workload.gradients == GradientRule::kept;
        for (const std::string &section : closingSections(m_workload))
            for (const auto &kind : m_kinds) {
                const Transient need = kind->costs().keepAll().memory(section, later).transient();
                costs.optimizer = {std::max(costs.optimizer.total, need.total),
                                   std::max(costs.optimizer.activation, need.activation)};
            }
        return costs;
    }

private:
    const ModelConfig &m_model;
    const Workload &m_workload;
    ChainShape m_shape;
    std::vector<LayerForm> m_forms;
    std::vector<std::size_t> m_kindOfLayer;
    std::vector<std::unique_ptr<Kind>> m_kinds;
};

} // namespace remat::core
