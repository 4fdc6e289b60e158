// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <optional>

#include "schedule/chain_costs.h"
#include "training/probe_lists.h"
#include "training/probe_run.h"

namespace remat::gpu {

/// The probe of one kind of block: a sibling of the model with as few blocks as show it, run under the op lists.
class BlockProbe
{
public:
    /// The sibling whose blocks are all like `layer` of `model`.
    BlockProbe(const core::ModelConfig &model, const core::Workload &workload, int layer);

    [[nodiscard]] core::Result<void> run(const std::vector<std::string> &options, DeviceParts &parts,
                                         const std::stop_token &stop);

    [[nodiscard]] const core::ModelConfig &sibling() const { return m_sibling; }
    [[nodiscard]] const core::Workload &workload() const { return m_small; }
    [[nodiscard]] const ProbeRun &keepAll() const { return *m_keepAll; }
    [[nodiscard]] int laterMicroBatch() const { return m_small.microBatches - 1; }
    [[nodiscard]] const core::ChainShape &shape() const { return m_shape; }

    /// Costs of a stage of the sibling.
    [[nodiscard]] core::StageCost stage(int stage);
    /// What is not understood; empty where everything adds up.
    [[nodiscard]] const std::string &problem() const { return m_problem; }
    /// Bytes of the constants that belong to the block's form of attention, and of all others.
    [[nodiscard]] core::Bytes formConstants() const { return m_formConstants; }
    [[nodiscard]] core::Bytes otherConstants() const;

private:
    struct OptionRuns
    {
        ProbeOptions options;
        ProbeRun keep;
        ProbeRun rerun;
    };
    [[nodiscard]] core::OptionCost option(int stage, const std::string &id, const ProbeRun &kept,
                                          const ProbeRun &phantom);
    [[nodiscard]] core::Bytes boundary(int boundary) const;
    [[nodiscard]] core::Bytes remembered(int stage) const;
    [[nodiscard]] bool takesGradient(int stage) const { return stage > m_shape.firstTrainable; }

    core::ModelConfig m_sibling;
    core::Workload m_small;
    core::ChainShape m_shape;
    std::optional<ProbeRun> m_keepAll, m_rerunBlocks, m_rerunAll;
    std::vector<OptionRuns> m_options;
    core::Bytes m_formConstants = 0;
    std::string m_problem;
};

} // namespace remat::gpu
