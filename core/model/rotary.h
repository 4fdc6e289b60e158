// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/model_config.h"

namespace remat::core {

/// What position-dependent kernels are made of, as plain numbers; the engine turns them into tensors. Pure functions of
/// a model whose shapeProblem is empty; any thread.

/// Elements of each head that are rotated: head size times the rotated fraction, rounded down; even.
[[nodiscard]] std::int64_t rotatedSize(const ModelConfig &model);

/// Angle per position of each rotated pair, rotatedSize / 2 of them (RoFormer, arXiv 2104.09864, section 3.2.2:
/// theta_i = base^(-2i/d)), with the model's RopeScaling. `windowed`: for the layers that see a window; with a base of
/// their own they have no scaling.
[[nodiscard]] std::vector<double> rotaryFrequencies(const ModelConfig &model, bool windowed);

/// The factor on cosines and sines that belongs to those frequencies (YaRN and LongRoPE; 1 for the others).
[[nodiscard]] double rotaryAttentionFactor(const ModelConfig &model, bool windowed);

/// Slopes of the linear biases, one per query head (ALiBi, arXiv 2108.12409, section 3): a score is lowered by the
/// slope times the distance. For a number of heads that is no power of two, those of the power below and then every
/// second one of the power above, as the paper's own code has it.
[[nodiscard]] std::vector<double> alibiSlopes(std::int64_t heads);

} // namespace remat::core
