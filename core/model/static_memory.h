// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/workload.h"

namespace remat::core {

/// State tensors of the size of a parameter that the optimizer keeps for each.
[[nodiscard]] int statesPerParameter(const Workload &workload);

[[nodiscard]] bool isAdamw(OptimizerKind kind);

/// True for the types whose small gradients vanish without a scaled loss.
[[nodiscard]] bool needsLossScale(Dtype dtype);

/// What the optimizer keeps between steps: states of all that is trained, AdamW's step count of each tensor, the loss
/// scale's growth tracker and flag.
[[nodiscard]] Bytes optimizerStateBytes(const ModelConfig &model, const Workload &workload);

/// What is held between steps besides batches and constants: weights, optimizer state, and gradients where they are kept.
[[nodiscard]] Bytes stateBytes(const ModelConfig &model, const Workload &workload);

/// Bytes that no schedule can save: parameters, optimizer state and, at the end of the backward, the gradients of all that
/// is trained. A formula over the inventory; nothing of that size is allocated.
[[nodiscard]] Bytes leastBytes(const ModelConfig &model, const Workload &workload);

/// An Error (doesNotFit) where leastBytes() is more than `available`, with both numbers and the deepest sibling that fits.
[[nodiscard]] Result<void> checkFits(const ModelConfig &model, const Workload &workload, Bytes available);

} // namespace remat::core
