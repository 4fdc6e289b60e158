// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "formula/formula_costs.h"
#include "formula/step_run.h"

namespace remat::core::formula {

/// Costs of one kind of block from a sibling with as few blocks as show it: gpu/training/block_probe without memory.
class BlockCosts
{
public:
    BlockCosts(const ModelConfig &model, const Workload &workload, int layer, const std::vector<std::string> &options);

    [[nodiscard]] const ChainShape &shape() const { return m_shape; }
    [[nodiscard]] StageCost stage(int stage) const;
    [[nodiscard]] StageWork work(int stage) const;
    [[nodiscard]] const StepRun &keepAll() const { return *m_keepAll; }
    [[nodiscard]] int laterMicroBatch() const { return m_small.microBatches - 1; }
    [[nodiscard]] Bytes formConstants() const { return m_formConstants; }
    [[nodiscard]] Bytes otherConstants() const { return m_otherConstants; }
    [[nodiscard]] Bytes inputBytes() const { return m_inputBytes; }
    [[nodiscard]] std::int64_t trainedElements() const;
    [[nodiscard]] bool isApproximate() const;

private:
    struct OptionRuns
    {
        StageOptionPair options;
        StepRun keep;
        StepRun rerun;
    };
    [[nodiscard]] OptionCost option(int stage, const std::string &id, const StepRun &kept,
                                    const StepRun &phantom) const;
    [[nodiscard]] Bytes boundary(int boundary) const;
    [[nodiscard]] Bytes remembered(int stage) const;
    [[nodiscard]] const StepRun &phantomOf(int stage) const;

    ModelConfig m_sibling;
    Workload m_small;
    ChainShape m_shape;
    std::optional<StepRun> m_keepAll, m_rerunBlocks, m_rerunAll;
    std::vector<OptionRuns> m_options;
    Bytes m_formConstants = 0, m_otherConstants = 0, m_inputBytes = 0;
};

} // namespace remat::core::formula
