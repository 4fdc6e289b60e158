// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/units.h"

namespace remat::core {

enum class RunStatus { queued, running, done, doesNotFit, cancelled, failed, interrupted };
[[nodiscard]] std::string_view toString(RunStatus status);
[[nodiscard]] std::optional<RunStatus> runStatusFrom(std::string_view text);

/// Median and quartiles of the timed steps.
struct StepTime
{
    Nanoseconds median = 0;
    Nanoseconds q1 = 0;
    Nanoseconds q3 = 0;
    int n = 0;
};

/// The proof that a schedule changed nothing: loss and every parameter gradient against a reference run.
struct Equality
{
    bool checked = false;
    std::string reference; // the strategy that was compared with
    std::int64_t differingElements = 0;
    double maxAbsDiff = 0.0;
    std::string why; // why it was not checked, or what differs
};

/// The machine and libraries that a run saw.
struct Environment
{
    std::string cpu;
    int cores = 0;
    int threads = 0;
    Bytes memoryBytes = 0;
    std::string os;
    std::string libtorch;
    std::string deviceName;
    std::string attentionKernel; // the kernel that ran, e.g. "flash (cpu)"
    std::string matmulPrecision;
    std::string budgetKind; // "requested bytes" or "reserved bytes"
    Bytes budgetBytes = 0;
    std::string version;      // of this program
    std::string allocator;    // its settings, where there are any
    int clockMhz = 0;         // 0: unknown; of the streaming multiprocessors on CUDA
    std::string attentionWhy; // why another kernel ran than was asked for; the point carries it

    std::string driver; // the device's; this and the rest: CUDA only, where the driver's library tells
    int memoryClockMhz = 0;
    int powerLimitWatts = 0;
    int temperatureC = 0;
    Bytes deviceUsedBytes = -1;  // of the whole device when the run ended, other programs included
    Bytes processUsedBytes = -1; // of that by this process, as the driver counts it
    std::string deviceWhy;       // why the above is not known
};

/// What a caching allocator held when an allocation failed: -1 where there is no such allocator or nothing failed.
struct AllocatorState
{
    Bytes reserved = -1;
    Bytes free = -1; // of the reserved bytes
    Bytes largestFree = -1;

    /// The share of the free bytes that one block cannot have: 1 - largest / free; 0 where nothing is free.
    [[nodiscard]] double fragmentation() const
    {
        return free > 0 ? 1.0 - static_cast<double>(largestFree) / static_cast<double>(free) : 0.0;
    }
};

/// One run of one schedule on one workload: a point of the curve. Bytes and counts are -1 and times 0 where nothing was measured.
/// A plain value; field names equal the keys of the JSON form and the columns of the view `points`.
struct Point
{
    std::int64_t run = 0;
    std::string strategy;
    RunStatus status = RunStatus::queued;
    std::string reason;
    std::string model;
    std::int64_t batch = 0;
    std::int64_t seq = 0;
    int microBatches = 1;
    std::string dtype;
    std::string attention;
    std::string device;
    std::string grads;
    std::string optimizer;
    bool updateInBackward = false;
    std::string train;
    std::string lossMode;     // "full", "chunked:4"
    std::string lossDtype;    // element type in which the loss is computed
    std::string attentionWhy; // empty: the kernel that was asked for ran

    Bytes peakBytes = -1;
    Bytes staticBytes = -1;
    Bytes activationPeakBytes = -1;
    Bytes allocatedPeakBytes = -1;
    Bytes reservedPeakBytes = -1;
    Bytes workerScratchPeakBytes = -1;
    Bytes deviceUsedPeakBytes = -1; // CUDA: most that all programs together used between the timed steps
    AllocatorState failure;         // CUDA: at the allocation that did not fit
    std::string peakOp;
    int peakStage = -1;
    int peakLayer = -1;
    std::string peakPhase;

    StepTime step;
    Nanoseconds forwardNs = 0;
    Nanoseconds recomputeNs = 0;
    Nanoseconds backwardNs = 0;
    Nanoseconds lossNs = 0;
    Nanoseconds optimizerNs = 0;
    Nanoseconds otherNs = 0;
    double tokensPerSecond = 0.0;
    Nanoseconds recomputeAttentionNs = 0; // parts of recomputeNs
    Nanoseconds recomputeFfnNs = 0;
    Nanoseconds recomputeNormNs = 0;
    Nanoseconds randomStateNs = 0; // saving and restoring generators; part of the phases it happens in

    int recomputedStageForwards = 0;
    int recomputedOptions = 0;
    int keptBoundaries = 0;
    int segmentsRecomputed = -1;        // counted in the recorded step: groups of stages run again for one backward
    int segmentsTotal = -1;             // as many as the schedule asks for
    int skippedSteps = -1;              // by the loss scaler, of all steps that were run
    std::int64_t missingGradients = -1; // trainable parameters without one after the backward: such a run has failed
    Bytes predictedPeakBytes = -1;
    Bytes predictedActivationPeakBytes = -1;
    Nanoseconds predictedStepNs = 0;
    std::string predictionSource;

    double loss = 0.0;
    std::string pagingSuspected; // a sentence where memory was probably moved during the timed steps; empty: no sign
    Equality equality;
    Environment environment;
};

[[nodiscard]] Json toJson(const Point &point);
[[nodiscard]] Result<Point> pointFromJson(const Json &json);

} // namespace remat::core
