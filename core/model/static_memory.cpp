// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/static_memory.h"

#include <algorithm>

#include "base/text.h"
#include "model/parameter_inventory.h"

namespace remat::core {

namespace {

/// The deepest sibling whose least bytes fit; 0 where not even one layer does.
int deepestThatFits(const ModelConfig &model, const Workload &workload, Bytes available)
{
    int fits = 0;
    int tooDeep = model.layers;
    while (tooDeep - fits > 1) {
        const int middle = fits + (tooDeep - fits) / 2;
        Workload same = workload;
        if (same.train.kind == TrainKind::last)
            same.train.n = std::min(same.train.n, middle);
        const auto sibling = scaledDown(model, middle, 1.0);
        (sibling && leastBytes(*sibling, same) <= available ? fits : tooDeep) = middle;
    }
    return fits;
}

} // namespace

int statesPerParameter(const Workload &workload)
{
    switch (workload.optimizer) {
    case OptimizerKind::none:
        return 0;
    case OptimizerKind::sgd:
        return workload.momentum > 0.0 ? 1 : 0;
    case OptimizerKind::adamw:
    case OptimizerKind::adamwPerTensor:
        return 2;
    }
    return 0;
}

bool isAdamw(OptimizerKind kind)
{
    return kind == OptimizerKind::adamw || kind == OptimizerKind::adamwPerTensor;
}

bool needsLossScale(Dtype dtype)
{
    return dtype == Dtype::fp16 || dtype == Dtype::mixedFp16;
}

Bytes optimizerStateBytes(const ModelConfig &model, const Workload &workload)
{
    constexpr Bytes kStepScalar = 4;
    constexpr Bytes kScaleState = 8; // growth tracker and the flag of a gradient that is not finite
    const auto inventory = parameterInventory(model, workload.train);
    const auto tensors = std::count_if(inventory.begin(), inventory.end(), [](const auto &p) { return p.trainable; });
    return statesPerParameter(workload) * countParameters(model, workload.train).trainable
        * weightElementSize(workload.dtype)
        + (isAdamw(workload.optimizer) ? tensors * kStepScalar : 0)
        + (needsLossScale(workload.dtype) ? kScaleState : 0);
}

Bytes stateBytes(const ModelConfig &model, const Workload &workload)
{
    const ParameterCount count = countParameters(model, workload.train);
    const Bytes gradients = workload.gradients == GradientRule::kept ? count.trainable : 0;
    return (count.total + gradients) * weightElementSize(workload.dtype) + optimizerStateBytes(model, workload);
}

Bytes leastBytes(const ModelConfig &model, const Workload &workload)
{
    const ParameterCount count = countParameters(model, workload.train);
    const int gradients = workload.updateInBackward ? 0 : 1;
    const int copies = statesPerParameter(workload) + gradients;
    return weightElementSize(workload.dtype) * (count.total + copies * count.trainable);
}

Result<void> checkFits(const ModelConfig &model, const Workload &workload, Bytes available)
{
    const Bytes needed = leastBytes(model, workload);
    if (needed <= available)
        return {};
    const int layers = deepestThatFits(model, workload, available);
    return Error{ErrorCode::doesNotFit,
                 quoteText(model.name) + " needs " + formatBytes(needed)
                     + " for parameters, gradients and optimizer state alone, " + formatBytes(available)
                     + " is available; "
                     + (layers > 0 ? "the largest sibling that fits is --layers " + std::to_string(layers) + "."
                                   : "not even one layer fits, so add --hidden-scale 0.5 or less.")};
}

} // namespace remat::core
