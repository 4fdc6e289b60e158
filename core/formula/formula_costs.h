// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formula/work_amount.h"
#include "model/workload.h"
#include "schedule/chain_costs.h"

namespace remat::core {

/// Work of one way to run a stage with its graph.
struct OptionWork
{
    WorkAmount forwardSave, phantom, backward; // backward without what the option rebuilds
    WorkAmount rebuild;
};
struct StageWork
{
    WorkAmount forward;
    std::map<std::string, OptionWork> options;
};
/// Work of a chain, laid out as ChainCosts: input of a roofline estimate of its times.
struct ChainWork
{
    std::vector<StageWork> stages;
    WorkAmount loss;
    WorkAmount optimizer; // of the whole model

    /// Of one micro-batch that keeps all: forward and backward of every stage, and the loss.
    [[nodiscard]] WorkAmount stepWork() const;
};
/// Bytes and work of every stage and option by formula: every operator states the tensors that it makes, keeps and lets
/// go, and the stages are run on sizes alone. Nothing of the model's size is allocated. Times are 0.
struct ChainFormula
{
    ChainCosts costs;
    ChainWork work;
    /// Some byte is not known for certain: scratch of reduced-type products on a CPU, everything on a device that was never
    /// measured.
    bool approximate = false;
};

/// `workload` is resolved; `options` are ids as ops carry them, each counted on the stages that have it, as in
/// TrainingBackend::probe. Errors: an unknown option, memory that is not explained. Any thread.
[[nodiscard]] Result<ChainFormula> chainFormula(const ModelConfig &model, const Workload &workload,
                                                const std::vector<std::string> &options);

} // namespace remat::core
