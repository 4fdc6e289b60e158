// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/cost_probe.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "training/optimizer.h"
#include "training/probe_run.h"

namespace remat::gpu {

using core::Bytes;
using core::Category;
using core::ChainCosts;
using core::Error;
using core::OptionCost;
using core::Result;
using core::StageCost;

namespace {

// Stages of the one-block model: 0 embedding, 1 attention, 2 feed-forward, 3 final norm.
constexpr const char *kKeepAll = "E0 E1 E2 E3 L B3 B2 B1 B0";
constexpr const char *kRerunBlock = "E0 F1 F2 E3 L B3 F1 E2 B2 E1 B1 B0";
constexpr const char *kRerunAll = "F0 F1 F2 F3 L E3 B3 F1 E2 B2 E1 B1 E0 B0";
constexpr const char *kKeepLean = "E0 E1 E2:lean_mlp E3 L B3 B2 B1 B0";
constexpr const char *kRerunLean = "E0 F1 F2 E3 L B3 F1 E2:lean_mlp B2 E1 B1 B0";
constexpr int kWarmUpSteps = 2;

class Probe
{
public:
    Probe(const core::ModelConfig &model, const core::Workload &workload)
        : m_model(model), m_workload(workload), m_small(workload)
    {
        // Later micro-batches are all alike: the second shows them.
        m_small.microBatches = std::min(workload.microBatches, 2);
    }

    Result<ChainCosts> run(DeviceParts &parts, const std::stop_token &stop)
    {
        core::ModelConfig oneBlock = m_model;
        oneBlock.layers = 1;
        auto made = TorchWorkload::make(oneBlock, m_small, parts);
        if (!made)
            return made.error();
        for (const auto &[ops, slot] : {std::pair{kKeepAll, &m_keepAll},
                                        {kRerunBlock, &m_rerunBlock},
                                        {kRerunAll, &m_rerunAll},
                                        {kKeepLean, &m_keepLean},
                                        {kRerunLean, &m_rerunLean}}) {
            auto result = ProbeRun::make(**made, ops, stop);
            // The first list twice: optimizer state and workspaces appear in the first steps.
            for (int i = 1; result && slot == &m_keepAll && i < kWarmUpSteps; ++i)
                result = ProbeRun::make(**made, ops, stop);
            if (!result)
                return result.error();
            *slot = std::move(*result);
        }
        return assemble(oneBlock);
    }

private:
    [[nodiscard]] int laterMicroBatch() const { return m_small.microBatches - 1; }

    Result<ChainCosts> assemble(const core::ModelConfig &oneBlock)
    {
        m_boundary = m_workload.batch * m_workload.seq * m_model.width * elementSize();
        const StageCost embedding = stage(0, *m_rerunAll, *m_rerunAll);
        const StageCost attention = stage(1, *m_rerunBlock, *m_rerunBlock);
        StageCost feedForward = stage(2, *m_rerunBlock, *m_rerunBlock);
        feedForward.options["lean_mlp"] = option(2, "E2:lean_mlp", *m_keepLean, *m_rerunLean);
        const StageCost norm = stage(3, *m_rerunAll, *m_rerunAll);
        if (!m_problem.empty())
            return Error{core::ErrorCode::failed, m_problem};
        ChainCosts costs;
        costs.source = core::CostSource::probe;
        costs.stages.push_back(embedding);
        for (int layer = 0; layer < m_model.layers; ++layer) {
            costs.stages.push_back(attention);
            costs.stages.push_back(feedForward);
        }
        costs.stages.push_back(norm);
        const OpMemory &lossFirst = m_keepAll->memory("L", 0, 0);
        costs.loss = {lossFirst.transient(), m_keepAll->memory("L", 0, laterMicroBatch()).transient(),
                      lossFirst.gradientChange(), m_keepAll->ns("L")};
        costs.microBatches = m_workload.microBatches;
        costs.gradientsKept = m_workload.gradients == core::GradientRule::kept;
        costs.staticBytes = staticBytes();
        addOptimizer(costs, oneBlock);
        return costs;
    }

    [[nodiscard]] Bytes elementSize() const { return m_workload.dtype == core::Dtype::bf16 ? 2 : 4; }

    StageCost stage(int i, const ProbeRun &forwardList, const ProbeRun &phantomList)
    {
        const std::string number = std::to_string(i);
        StageCost cost;
        cost.output = m_boundary;
        cost.forward = forwardList.memory("F" + number, 0, 0).transient();
        cost.forwardNs = forwardList.ns("F" + number);
        cost.gradientGrowth = m_keepAll->memory("B" + number, 0, 0).gradientChange();
        cost.options[""] = option(i, "E" + number, *m_keepAll, phantomList);
        return cost;
    }

    OptionCost option(int i, const std::string &save, const ProbeRun &kept, const ProbeRun &phantom)
    {
        const std::string back = "B" + std::to_string(i);
        const OpMemory &saved = kept.memory(save, 0, 0);
        const OpMemory &first = kept.memory(back, 0, 0);
        OptionCost cost;
        cost.saved = saved.activationChange() - m_boundary;
        cost.forwardSave = saved.transient();
        cost.forwardSavePhantom = phantom.memory(save, 0, 0).transient();
        cost.backwardFirst = first.transient();
        cost.backwardLater = kept.memory(back, 0, laterMicroBatch()).transient();
        cost.forwardSaveNs = kept.ns(save);
        cost.phantomNs = phantom.ns(save);
        cost.rebuildNs = kept.rebuildNs(back);
        cost.backwardNs = kept.ns(back) - cost.rebuildNs;
        // A backward swaps dy for dx and frees the graph; what else goes is the input that the graph pinned.
        const Bytes freed = -first.activationChange() - cost.saved - (i == 0 ? m_boundary : 0);
        cost.keepsInput = i == 0 || freed == m_boundary;
        if (i != 0 && freed != 0 && freed != m_boundary)
            m_problem = "The memory of " + back + " in the one-block model is not explained by what its stage keeps ("
                + std::to_string(freed) + " bytes are left over), so no exact prediction can be made.";
        return cost;
    }

    /// Parameters and optimizer state follow from the inventory, the rest was seen in the one-block model.
    [[nodiscard]] Bytes staticBytes() const
    {
        const auto inventory = core::parameterInventory(m_model);
        const Bytes elements = elementsOf(inventory);
        const auto &baseline = m_keepAll->recording().baseline;
        const auto seen = [&](Category category) { return baseline[static_cast<std::size_t>(category)]; };
        Bytes bytes = elements * elementSize();
        bytes += optimizerStateBytes(m_workload, elements, static_cast<std::int64_t>(inventory.size()), elementSize());
        if (m_workload.gradients == core::GradientRule::kept)
            bytes += elements * elementSize();
        const int more = m_workload.microBatches - m_small.microBatches;
        bytes += seen(Category::input) / m_small.microBatches * m_workload.microBatches;
        bytes += seen(Category::constant) + more * Bytes(sizeof(float));
        bytes += seen(Category::workspace);
        return bytes;
    }

    static Bytes elementsOf(const std::vector<core::Parameter> &inventory)
    {
        return std::accumulate(inventory.begin(), inventory.end(), Bytes(0),
                               [](Bytes sum, const core::Parameter &parameter) { return sum + parameter.elements(); });
    }

    void addOptimizer(ChainCosts &costs, const core::ModelConfig &oneBlock) const
    {
        const double growth = static_cast<double>(elementsOf(core::parameterInventory(m_model)))
            / static_cast<double>(elementsOf(core::parameterInventory(oneBlock)));
        const auto scaled
            = [&](core::Nanoseconds ns) { return static_cast<core::Nanoseconds>(static_cast<double>(ns) * growth); };
        costs.optimizer = m_keepAll->memory("optimizer", 0, laterMicroBatch()).transient();
        costs.optimizerNs = scaled(sectionNs("optimizer"));
        costs.otherNs = m_keepAll->betweenOps();
        if (m_workload.clip > 0) {
            const core::Transient clip = m_keepAll->memory("clip", 0, laterMicroBatch()).transient();
            costs.optimizer
                = {std::max(costs.optimizer.total, clip.total), std::max(costs.optimizer.activation, clip.activation)};
            costs.optimizerNs += scaled(sectionNs("clip"));
        }
        if (costs.gradientsKept)
            costs.otherNs += scaled(m_keepAll->ns("zero"));
    }

    [[nodiscard]] core::Nanoseconds sectionNs(const char *code) const
    {
        return m_keepAll->ns(code, 0, laterMicroBatch());
    }

    const core::ModelConfig &m_model;
    const core::Workload &m_workload;
    core::Workload m_small;
    Bytes m_boundary = 0;
    std::optional<ProbeRun> m_keepAll, m_rerunBlock, m_rerunAll, m_keepLean, m_rerunLean;
    std::string m_problem;
};

} // namespace

Result<ChainCosts> probeCosts(const core::ModelConfig &model, const core::Workload &workload, DeviceParts &parts,
                              std::stop_token stop)
{
    return Probe(model, workload).run(parts, stop);
}

} // namespace remat::gpu
