// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/units.h"
#include "config/model_config.h"
#include "model/stage.h"

namespace remat::core {

/// Element types of weights and of the products. The mixed kinds keep fp32 weights and cast them where they are used.
enum class Dtype { fp32, bf16, fp16, mixedBf16, mixedFp16 };
/// math: explicit products; sdpa: what LibTorch chooses; flash, efficient: this one, or an error.
enum class AttentionKernel { math, sdpa, flash, efficient };
/// adamw: one fused update; adamwPerTensor: operator by operator, with temporaries.
enum class OptimizerKind { none, sgd, adamw, adamwPerTensor };
enum class GradientRule { freed, kept };

/// What is trained. last: the last n blocks, final norm and an untied head; lora: low-rank adapters of rank n beside every
/// projection of every block (Hu et al., arXiv 2106.09685), all else frozen.
enum class TrainKind { all, last, lora };
struct TrainRule
{
    TrainKind kind = TrainKind::all;
    int n = 0;

    friend bool operator==(const TrainRule &, const TrainRule &) = default;
};

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
    bool updateInBackward = false; // each parameter is updated as soon as its gradient is complete
    int lossChunks = 0;            // the head and its loss in so many parts of the tokens; 0: at once
    TrainRule train;
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

/// The chain of a model with its frozen part: stages below the first trainable one.
[[nodiscard]] ChainShape chainShape(const ModelConfig &model, const Workload &workload);

/// Bytes of an element of the boundaries (and of the weights, where they are not mixed), and of a stored weight.
[[nodiscard]] Bytes computeElementSize(Dtype dtype);
[[nodiscard]] Bytes weightElementSize(Dtype dtype);
[[nodiscard]] bool isMixed(Dtype dtype);

[[nodiscard]] Json toJson(const Workload &workload);
[[nodiscard]] Result<Workload> workloadFromJson(const Json &json);
[[nodiscard]] Json toJson(const ModelConfig &model);
[[nodiscard]] Result<ModelConfig> modelFromJson(const Json &json);

/// Stable hash over model and workload, 16 hexadecimal digits; plan files carry it.
[[nodiscard]] std::string workloadHash(const ModelConfig &model, const Workload &workload);

[[nodiscard]] std::string_view toString(Dtype dtype);
[[nodiscard]] std::string_view toString(AttentionKernel kernel);
[[nodiscard]] std::string_view toString(GradientRule rule);

/// "none", "sgd", "sgd:0.9", "adamw", "adamw-per-tensor" and back, as the command line spells it.
[[nodiscard]] std::string optimizerText(const Workload &workload);
[[nodiscard]] Result<void> parseOptimizer(std::string_view text, Workload &workload);

/// "all", "last:2", "lora:8"; "full", "chunked:4"; and back.
[[nodiscard]] std::string trainText(const Workload &workload);
[[nodiscard]] Result<void> parseTrain(std::string_view text, Workload &workload);
[[nodiscard]] std::string lossText(const Workload &workload);
[[nodiscard]] Result<void> parseLoss(std::string_view text, Workload &workload);

/// Reads the names that toString and the command line use; errors list what is allowed.
[[nodiscard]] Result<Dtype> dtypeFrom(std::string_view text);
[[nodiscard]] Result<AttentionKernel> attentionFrom(std::string_view text);

} // namespace remat::core
