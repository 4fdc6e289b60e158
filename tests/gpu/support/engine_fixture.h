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

/// A resolved workload of batch 2 on one thread.
[[nodiscard]] core::Workload tinyWorkload(const core::ModelConfig &model);

[[nodiscard]] std::unique_ptr<gpu::TorchWorkload> prepared(const core::ModelConfig &model,
                                                           const core::Workload &workload);
[[nodiscard]] core::Schedule scheduleOf(const std::string &strategy, int layers, const std::string &option = {});

/// Every strategy that exists for `layers` blocks, in several sizes.
[[nodiscard]] std::vector<std::string> strategiesFor(int layers);

} // namespace remat::tests
