// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "schedule/strategy.h"
#include "training/torch_workload.h"

namespace remat::tests {

/// The engine of the test process, made at the first call; all tests of a process share it.
[[nodiscard]] core::TrainingBackend &engine();
[[nodiscard]] gpu::DeviceParts &cpuDevice();

/// Small models with the quirks of the families.
[[nodiscard]] core::ModelConfig tinyGpt(int layers);
[[nodiscard]] core::ModelConfig tinyLlama(int layers);
[[nodiscard]] core::ModelConfig tinyGemma(int layers);
[[nodiscard]] core::ModelConfig tinyQwen3(int layers);

[[nodiscard]] core::ModelConfig tinyBert(int layers);       // post-norm, masked head
[[nodiscard]] core::ModelConfig tinyClassifier(int layers); // sequence head, offset in the position table
[[nodiscard]] core::ModelConfig tinyVit(int layers);
[[nodiscard]] core::ModelConfig tinyNeox(int layers);   // parallel halves with a norm each
[[nodiscard]] core::ModelConfig tinyPhi(int layers);    // parallel halves behind one norm, odd feed-forward width
[[nodiscard]] core::ModelConfig tinyGemma2(int layers); // sandwich, caps, alternating windows: --attention math only
[[nodiscard]] core::ModelConfig tinyOlmo2(int layers);  // norms on the branches
[[nodiscard]] core::ModelConfig tinyBloom(int layers);  // ALiBi over six heads
[[nodiscard]] core::ModelConfig tinyOpt(int layers);
[[nodiscard]] core::ModelConfig tinyMixtral(int layers);
[[nodiscard]] core::ModelConfig tinyQwenMoe(int layers); // shared expert with a gate, first layer dense
[[nodiscard]] core::ModelConfig tinyGptNeo(int layers);
[[nodiscard]] core::ModelConfig tinyCohere(int layers); // one key head, parallel halves, norms of queries and keys

struct NamedModel
{
    std::string name;
    core::ModelConfig model;
};
/// All of the above.
[[nodiscard]] std::vector<NamedModel> allTinyModels(int layers);

/// A resolved workload of batch 2 on one thread.
[[nodiscard]] core::Workload tinyWorkload(const core::ModelConfig &model);

[[nodiscard]] std::unique_ptr<gpu::TorchWorkload> prepared(const core::ModelConfig &model,
                                                           const core::Workload &workload);
/// A number of layers stands for a chain of two stages each; parallel models need core::chainShape(model).
[[nodiscard]] core::Schedule scheduleOf(const std::string &strategy, const core::ChainShape &shape);

/// Every strategy that exists for `layers` blocks, in several sizes.
[[nodiscard]] std::vector<std::string> strategiesFor(int layers);

} // namespace remat::tests
