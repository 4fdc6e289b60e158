// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formula/model_formula.h"

namespace remat::core::formula {

/// What the optimizer, clipping and the loss scale take while they run.
void unscaleScratch(Tape &tape);
void clipScratch(Tape &tape, const std::vector<Tensor> &trained);
void stepScratch(Tape &tape, const Workload &workload, const std::vector<Tensor> &trained);
/// One parameter's update inside the backward.
void updateScratch(Tape &tape, const Workload &workload, const Tensor &gradient);

/// What is held when a step starts: parameters, optimizer state, kept gradients, batches and constants. `constants` are
/// those of the forms of attention, once each.
struct StaticParts
{
    Bytes batches = 0;
    Bytes constants = 0;
};
[[nodiscard]] Bytes staticBytesOf(const ModelConfig &model, const Workload &workload, const StaticParts &parts);

} // namespace remat::core::formula
