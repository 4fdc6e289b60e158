// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/formula_costs.h"

#include <algorithm>

#include "formula/block_costs.h"
#include "formula/state_formula.h"
#include "probe/layer_kinds.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

using formula::BlockCosts;
using formula::StepRun;
using Kinds = LayerKinds<BlockCosts>;

Result<void> checkOptions(const std::vector<std::string> &options)
{
    for (const std::string &option : options)
        if (!stageOptionsFrom(option))
            return Error{ErrorCode::usage,
                         "The option '" + option
                             + "' is unknown, so its bytes cannot be computed; see the table of "
                               "options for the ids that exist."};
    return {};
}

ChainWork workOf(const Kinds &kinds, const ModelConfig &model, const Workload &workload)
{
    ChainWork work;
    kinds.eachStage([&](const BlockCosts &kind, int stage) { work.stages.push_back(kind.work(stage)); });
    const StepRun &keepAll = kinds.first().costs().keepAll();
    const Sibling &sibling = kinds.first().costs().sibling();
    work.loss = keepAll.memory("L", 0).work;
    const double share = static_cast<double>(countParameters(model, workload.train).trainable)
        / static_cast<double>(countParameters(sibling.model, sibling.workload.train).trainable);
    const WorkAmount update = keepAll.memory("optimizer", sibling.laterMicroBatch()).work;
    work.optimizer = {share * update.flops, share * update.bytesMoved};
    return work;
}

} // namespace

WorkAmount ChainWork::stepWork() const
{
    WorkAmount sum = loss;
    for (const StageWork &stage : stages) {
        if (const auto kept = stage.options.find(""); kept != stage.options.end()) {
            sum += kept->second.forwardSave;
            sum += kept->second.backward;
        } else {
            sum += stage.forward;
        }
    }
    return sum;
}

Result<ChainFormula> chainFormula(const ModelConfig &model, const Workload &workload,
                                  const std::vector<std::string> &options)
{
    if (auto checked = checkOptions(options); !checked)
        return checked.error();
    Kinds kinds(model, workload);
    const auto made = kinds.make([&](int layer) { return BlockCosts::make(Sibling(model, workload, layer), options); });
    if (!made)
        return made.error();
    auto costs = kinds.chainCosts(CostSource::formula);
    if (!costs)
        return costs.error();
    costs->staticBytes = formula::staticBytesOf(
        model, workload, {kinds.first().inputBytes(), kinds.formConstants() + kinds.first().otherConstants()});
    const bool unsure = std::any_of(kinds.all().begin(), kinds.all().end(),
                                    [](const auto &kind) { return kind->costs().keepAll().isApproximate(); });
    return ChainFormula{std::move(*costs), workOf(kinds, model, workload),
                        unsure || workload.device.starts_with("cuda")};
}

} // namespace remat::core
