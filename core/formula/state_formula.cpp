// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/state_formula.h"

#include <algorithm>

#include "model/static_memory.h"

namespace remat::core::formula {

namespace {

void numberScratch(Tape &tape, Element type)
{
    const NumberScope number(tape, type);
}

/// gpu/training/optimizer's adamw operator by operator: only the root of the second moment is as large as the parameter.
void adamwScratch(Tape &tape, const Tensor &parameter)
{
    numberScratch(tape, Element::fp32); // the step counts on
    numberScratch(tape, parameter.type());
    const Tensor root = Tensor::make(tape, parameter.sizes(), parameter.type());
    tape.count(12.0 * static_cast<double>(parameter.numel()), 14.0 * static_cast<double>(parameter.bytes()));
    numberScratch(tape, parameter.type());
}

void fusedScratch(Tape &tape, const Workload &workload, const Tensor &parameter)
{
    const auto states = static_cast<double>(statesPerParameter(workload));
    tape.count(12.0 * static_cast<double>(parameter.numel()),
               (3.0 + 2.0 * states) * static_cast<double>(parameter.bytes()));
    if (isAdamw(workload.optimizer))
        numberScratch(tape, Element::fp32);
}

} // namespace

void unscaleScratch(Tape &tape)
{
    tape.scratch(sizeOf(Element::fp32)); // 1 / scale
}

/// One norm a parameter, then one factor.
void clipScratch(Tape &tape, const std::vector<Tensor> &trained)
{
    for (const Tensor &parameter : trained)
        tape.scratch(sizeOf(parameter.type()));
    for (const Tensor &parameter : trained)
        numberScratch(tape, parameter.type());
}

void stepScratch(Tape &tape, const Workload &workload, const std::vector<Tensor> &trained)
{
    if (workload.optimizer == OptimizerKind::none)
        return;
    for (const Tensor &parameter : trained) {
        if (workload.optimizer == OptimizerKind::adamwPerTensor)
            adamwScratch(tape, parameter);
        else
            fusedScratch(tape, workload, parameter);
    }
}

void updateScratch(Tape &tape, const Workload &workload, const Tensor &gradient)
{
    if (workload.optimizer == OptimizerKind::adamwPerTensor)
        adamwScratch(tape, gradient);
    else
        fusedScratch(tape, workload, gradient);
}

Bytes staticBytesOf(const ModelConfig &model, const Workload &workload, const StaticParts &parts)
{
    constexpr Bytes kScalars = 16; // an engine's permanent tick, cell and one
    Bytes bytes = stateBytes(model, workload);
    bytes += parts.batches * workload.microBatches + parts.constants;
    return bytes + kScalars + workload.microBatches * sizeOf(Element::fp32);
}

} // namespace remat::core::formula
