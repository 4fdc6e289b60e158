// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "measure/point.h"
#include "measure/recording.h"
#include "model/workload.h"
#include "schedule/chain_costs.h"
#include "schedule/schedule.h"

namespace remat::core {

/// A device that may be asked for, and why not where it cannot be used.
struct DeviceInfo
{
    std::string id; // "cpu", "cuda:0"
    std::string name;
    Bytes totalBytes = 0;
    Bytes freeBytes = 0;
    bool usable = false;
    std::string why;
    std::string driver{};        // this and the rest: CUDA, where the driver's library tells
    Bytes usedBytes = -1;        // by all programs
    Bytes processUsedBytes = -1; // by this one
    std::string note{};          // why the above is not known
};

/// Signs that memory is moved to and from where it is slow, at one moment; -1 where the device has no such number.
/// Faults and swap are those of this process since it started.
struct MemoryPressure
{
    std::int64_t majorFaults = -1; // pages that were read from a disk
    Bytes swapped = -1;
    Bytes deviceUsed = -1; // by all programs
    Bytes deviceTotal = -1;
    Bytes reserved = -1; // by this process' caching allocator
};

/// How long the parts of one step took; the sum is the step.
struct StepSplit
{
    Nanoseconds step = 0, forward = 0, recompute = 0, backward = 0, loss = 0, optimizer = 0, other = 0;
    // What is recomputed, as far as it was told apart, and random-state handling: parts of the above, no more summands.
    Nanoseconds recomputeAttention = 0, recomputeFeedForward = 0, recomputeNorm = 0, randomState = 0;
};

/// How one step ended. Out of memory is a status with the op and the missing bytes in `reason`, never an Error.
struct StepOutcome
{
    RunStatus status = RunStatus::done;
    std::string reason;
    StepSplit split;
    double loss = 0.0;
    AllocatorState failure; // of a step that does not fit
    bool skipped = false;   // the scaled gradients were not finite: the scale was lowered, nothing was updated
};

/// What the recorded step yields besides its outcome.
struct RecordedStep
{
    StepOutcome outcome;
    Recording recording;
    Bytes staticBytes = 0;
    Bytes allocatedPeakBytes = -1; // CUDA only
    Bytes reservedPeakBytes = -1;
};

/// One forward-backward on the initial parameters and the first batch, compared with the reference.
struct Proof
{
    StepOutcome outcome;
    std::int64_t differingElements = 0;
    double maxAbsDiff = 0.0;
    std::string firstDifference;       // name of the first parameter that differs
    std::int64_t missingGradients = 0; // trainable parameters that the backward left without a gradient
    std::string firstMissing;          // name of the first of them
};

/// A model on a device, ready to run steps: owned by the sweep, used from one thread only. After an outcome that is not
/// `done` the next call starts from a clean account.
class PreparedWorkload
{
public:
    virtual ~PreparedWorkload() = default;

    /// Parameters back to their seeded start, optimizer state and gradients dropped.
    [[nodiscard]] virtual Result<void> reset() = 0;

    /// Runs the forward-backward of a proof. With `asReference` the gradients become the reference (kept outside the
    /// account); without, they are compared with it.
    [[nodiscard]] virtual Result<Proof> prove(const Schedule &schedule, bool asReference) = 0;

    /// One whole training step, nothing recorded but times.
    [[nodiscard]] virtual Result<StepOutcome> step(const Schedule &schedule, std::stop_token stop) = 0;

    /// One whole training step with every event.
    [[nodiscard]] virtual Result<RecordedStep> recordStep(const Schedule &schedule, std::stop_token stop) = 0;

    [[nodiscard]] virtual Environment environment() const = 0;

    /// Read before and after timed steps, outside of what is timed.
    [[nodiscard]] virtual MemoryPressure pressure() const { return {}; }
};

/// An engine: implemented by gpu over LibTorch and by the tests' fake. One object a process, one thread.
class TrainingBackend
{
public:
    virtual ~TrainingBackend() = default;

    [[nodiscard]] virtual std::vector<DeviceInfo> devices() = 0;

    /// Costs of every stage, measured on a one-block model at the true sizes and thread count: keep_all, and of these
    /// option ids (as ops carry them) each on the stages that have it.
    [[nodiscard]] virtual Result<ChainCosts> probe(const ModelConfig &model, const Workload &workload,
                                                   const std::vector<std::string> &options, std::stop_token stop)
        = 0;

    /// Makes the parameters from the seed. Errors: device unusable (and why), dtype refused, does not fit (doesNotFit).
    [[nodiscard]] virtual Result<std::unique_ptr<PreparedWorkload>> prepare(const ModelConfig &model,
                                                                            const Workload &workload)
        = 0;
};

} // namespace remat::core
