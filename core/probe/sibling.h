// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "schedule/chain_costs.h"

namespace remat::core {

/// A model with as few blocks as show one kind of block, all like `layer` of the whole one, and the workload it is run
/// with: what costs of stages are found on. Two blocks where a part is frozen: the first trained stage hands no gradient
/// on. A plain value.
struct Sibling
{
    Sibling(const ModelConfig &whole, const Workload &wholeWorkload, int layer);

    ModelConfig model;
    Workload workload; // at most two micro-batches: later ones are all alike
    ChainShape shape;

    [[nodiscard]] int laterMicroBatch() const { return workload.microBatches - 1; }
    /// Bytes of a boundary; the last one of a sequence head holds one token of each sequence.
    [[nodiscard]] Bytes boundary(int boundary) const;
    [[nodiscard]] bool takesGradient(int stage) const { return stage > shape.firstTrainable; }
};

/// What is run after the last backward of a step and sets the optimizer's transient: "unscale", "clip", "optimizer", those
/// that the workload has.
[[nodiscard]] std::vector<std::string> closingSections(const Workload &workload);

/// Takes from the costs of a stage below the first trainable one what only trained stages have; what it would remember
/// becomes a transient.
void freeze(StageCost &cost);

/// The refusal of a stage whose backward leaves so many bytes that nothing it keeps explains.
[[nodiscard]] Error unexplainedMemory(int stage, Bytes rest);

} // namespace remat::core
