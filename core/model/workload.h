// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/units.h"
#include "config/model_config.h"

namespace remat::core {

enum class Dtype { fp32, bf16 };
enum class AttentionKernel { math, sdpa };
enum class OptimizerKind { none, sgd, adamw };
enum class GradientRule { freed, kept };

/// Everything that defines a training step except the schedule and the model itself. A plain value.
/// Defaults are those of the command line; negative dropouts mean "as the config says".
struct Workload
{
    std::int64_t batch = 4;
    std::int64_t seq = 0; // 0: the smaller of the model's positions and 256
    int microBatches = 1;
    Dtype dtype = Dtype::fp32;
    AttentionKernel attention = AttentionKernel::sdpa;
    double dropout = -1.0; // embedding and residual
    double attentionDropout = -1.0;
    OptimizerKind optimizer = OptimizerKind::adamw;
    double momentum = 0.0; // sgd only
    GradientRule gradients = GradientRule::freed;
    double clip = 0.0;           // largest global gradient norm; 0: no clipping
    std::string data = "random"; // or the path of a file whose bytes are the tokens
    std::uint64_t seed = 0;
    std::string device = "cpu"; // "cpu" or "cuda:N"
    int threads = 0;            // 0: the cores this process may use
    Bytes memoryBudget = 0;     // 0: the device's default
};

/// Fills in what the defaults leave open and checks the workload against the model: positions, vocabulary of byte data,
/// absurd sizes. `cores` is the number of cores this process may use.
[[nodiscard]] Result<Workload> resolveWorkload(Workload workload, const ModelConfig &model, int cores);

/// A smaller sibling: `layers` > 0 replaces the depth, `hiddenScale` in (0, 1] scales width, heads, key/value heads and
/// feed-forward width together, head size kept, each rounded to at least one head. Notes go to `derived`.
[[nodiscard]] Result<ModelConfig> scaledDown(ModelConfig model, int layers, double hiddenScale);

[[nodiscard]] Json toJson(const Workload &workload);
[[nodiscard]] Result<Workload> workloadFromJson(const Json &json);
[[nodiscard]] Json toJson(const ModelConfig &model);
[[nodiscard]] Result<ModelConfig> modelFromJson(const Json &json);

/// Stable hash over model and workload, 16 hexadecimal digits; plan files carry it.
[[nodiscard]] std::string workloadHash(const ModelConfig &model, const Workload &workload);

[[nodiscard]] std::string_view toString(Dtype dtype);
[[nodiscard]] std::string_view toString(AttentionKernel kernel);
[[nodiscard]] std::string_view toString(GradientRule rule);

/// "none", "sgd", "sgd:0.9", "adamw" and back, as the command line spells it.
[[nodiscard]] std::string optimizerText(const Workload &workload);
[[nodiscard]] Result<void> parseOptimizer(std::string_view text, Workload &workload);

} // namespace remat::core
