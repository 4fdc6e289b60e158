// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/cost_probe.h"

#include <algorithm>
#include <numeric>

#include "model/parameter_inventory.h"
#include "training/block_probe.h"
#include "training/optimizer.h"

namespace remat::gpu {

using core::Bytes;
using core::Category;
using core::ChainCosts;
using core::Error;
using core::Result;

namespace {

class Probe
{
public:
    Probe(const core::ModelConfig &model, const core::Workload &workload)
        : m_model(model), m_workload(workload), m_shape(core::chainShape(model, workload))
    {
    }

    Result<ChainCosts> run(const std::vector<std::string> &options, DeviceParts &parts, const std::stop_token &stop)
    {
        for (int layer = 0; layer < m_model.layers; ++layer) {
            const core::LayerForm form = m_model.formOf(layer);
            const auto known = std::find(m_forms.begin(), m_forms.end(), form);
            m_kindOfLayer.push_back(static_cast<std::size_t>(known - m_forms.begin()));
            if (known != m_forms.end())
                continue;
            m_forms.push_back(form);
            m_probes.emplace_back(m_model, m_workload, layer);
            if (auto ran = m_probes.back().run(options, parts, stop); !ran)
                return ran.error();
        }
        return assemble();
    }

private:
    [[nodiscard]] const BlockProbe &first() const { return m_probes.front(); }

    Result<ChainCosts> assemble()
    {
        ChainCosts costs;
        costs.source = core::CostSource::probe;
        costs.firstTrainable = m_shape.firstTrainable;
        addStages(costs);
        for (const BlockProbe &probe : m_probes)
            if (!probe.problem().empty())
                return Error{core::ErrorCode::failed, probe.problem()};
        const ProbeRun &keepAll = first().keepAll();
        const OpMemory &loss = keepAll.memory("L", 0, 0);
        costs.loss = {loss.transient(), keepAll.memory("L", 0, first().laterMicroBatch()).transient(),
                      loss.gradientChange(), keepAll.ns("L")};
        costs.microBatches = m_workload.microBatches;
        costs.gradientsKept = m_workload.gradients == core::GradientRule::kept;
        costs.staticBytes = staticBytes();
        addOptimizer(costs);
        return costs;
    }

    void addStages(ChainCosts &costs)
    {
        BlockProbe &edges = m_probes.front();
        const core::ChainShape &small = edges.shape();
        costs.stages.push_back(edges.stage(0));
        for (int layer = 0; layer < m_model.layers; ++layer) {
            BlockProbe &probe = m_probes[m_kindOfLayer[static_cast<std::size_t>(layer)]];
            // In a sibling of two blocks the first one stands for the first trained block (and for frozen ones, of which
            // only the forward counts), the last one for all others.
            const int stage = m_shape.firstStageOf(layer);
            const bool like = stage <= std::max(1, m_shape.firstTrainable);
            const int block = like ? 0 : probe.shape().layers - 1;
            for (int i = 0; i < m_shape.stagesPerLayer; ++i)
                costs.stages.push_back(probe.stage(probe.shape().firstStageOf(block) + i));
        }
        costs.stages.push_back(edges.stage(small.finalStage()));
        for (int stage = 0; stage < m_shape.firstTrainable; ++stage) {
            core::StageCost &frozen = costs.stages[static_cast<std::size_t>(stage)];
            frozen.options.clear();
            frozen.options[""] = {};
            // Frozen stages remember nothing; what they would is a transient of theirs.
            frozen.forward.total += frozen.remembered;
            frozen.forward.activation += frozen.remembered;
            frozen.gradientGrowth = frozen.remembered = 0;
        }
    }

    /// Parameters and optimizer state follow from the inventory, the rest was seen in the small models.
    [[nodiscard]] Bytes staticBytes() const
    {
        const Bytes weightSize = core::weightElementSize(m_workload.dtype);
        const core::ParameterCount count = core::countParameters(m_model, m_workload.train);
        Bytes bytes = count.total * weightSize;
        bytes += optimizerStateBytes(m_workload, count.trainable, trainedTensors(), weightSize);
        if (m_workload.gradients == core::GradientRule::kept)
            bytes += count.trainable * weightSize;
        const core::Workload &small = first().workload();
        const auto &baseline = first().keepAll().recording().baseline;
        const auto seen = [&](Category category) { return baseline[static_cast<std::size_t>(category)]; };
        bytes += seen(Category::input) / small.microBatches * m_workload.microBatches;
        bytes += seen(Category::workspace);
        bytes += first().otherConstants() + (m_workload.microBatches - small.microBatches) * Bytes(sizeof(float));
        return bytes + formConstants();
    }

    /// Masks and rotary tables exist once per form of attention.
    [[nodiscard]] Bytes formConstants() const
    {
        Bytes bytes = 0;
        for (std::size_t i = 0; i < m_forms.size(); ++i) {
            const auto same = [&](const core::LayerForm &form) {
                return form.windowed == m_forms[i].windowed && form.rotary == m_forms[i].rotary;
            };
            if (std::find_if(m_forms.begin(), m_forms.end(), same) == m_forms.begin() + static_cast<std::ptrdiff_t>(i))
                bytes += m_probes[i].formConstants();
        }
        return bytes;
    }

    [[nodiscard]] std::int64_t trainedTensors() const
    {
        const auto inventory = core::parameterInventory(m_model, m_workload.train);
        return std::count_if(inventory.begin(), inventory.end(), [](const auto &entry) { return entry.trainable; });
    }

    void addOptimizer(ChainCosts &costs) const
    {
        const ProbeRun &keepAll = first().keepAll();
        const double growth = static_cast<double>(core::countParameters(m_model, m_workload.train).trainable)
            / static_cast<double>(core::countParameters(first().sibling(), first().workload().train).trainable);
        const auto scaled
            = [&](core::Nanoseconds ns) { return static_cast<core::Nanoseconds>(static_cast<double>(ns) * growth); };
        costs.otherNs = keepAll.betweenOps();
        for (const char *section : {"unscale", "clip", "optimizer"}) {
            const bool exists = std::string(section) == "optimizer"
                || (std::string(section) == "clip" ? m_workload.clip > 0 : needsLossScale(m_workload.dtype));
            if (!exists)
                continue;
            for (const BlockProbe &probe : m_probes) {
                const core::Transient transient
                    = probe.keepAll().memory(section, 0, probe.laterMicroBatch()).transient();
                costs.optimizer = {std::max(costs.optimizer.total, transient.total),
                                   std::max(costs.optimizer.activation, transient.activation)};
            }
            costs.optimizerNs += scaled(keepAll.ns(section, 0, first().laterMicroBatch()));
        }
        if (costs.gradientsKept)
            costs.otherNs += scaled(keepAll.ns("zero"));
    }

    const core::ModelConfig &m_model;
    const core::Workload &m_workload;
    core::ChainShape m_shape;
    std::vector<core::LayerForm> m_forms;
    std::vector<std::size_t> m_kindOfLayer;
    std::vector<BlockProbe> m_probes;
};

} // namespace

Result<ChainCosts> probeCosts(const core::ModelConfig &model, const core::Workload &workload,
                              const std::vector<std::string> &options, DeviceParts &parts, std::stop_token stop)
{
    return Probe(model, workload).run(options, parts, stop);
}

} // namespace remat::gpu
