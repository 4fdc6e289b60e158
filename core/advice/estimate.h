// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "schedule/schedule.h"
#include "schedule/simulator.h"

namespace remat::core {

/// What lies in memory at the peak of a step. The sum is the peak.
struct MemoryParts
{
    Bytes weights = 0;
    Bytes optimizer = 0;   // its state
    Bytes gradients = 0;   // of parameters
    Bytes inputs = 0;      // batches, tables and other constants
    Bytes activations = 0; // boundaries, saved activations, the gradient in flight
    Bytes logits = 0;      // what head and loss need, where they set the peak
    Bytes temporaries = 0; // what another op needs while it runs

    [[nodiscard]] Bytes sum() const
    {
        return weights + optimizer + gradients + inputs + activations + logits + temporaries;
    }
};

/// Where memory goes when a schedule is run, and the most that any schedule could save: known before anything runs.
struct Estimate
{
    Bytes peak = 0;
    MemoryParts parts;
    std::string peakOp;    // "L", "B3", "optimizer"
    std::string peakWhere; // in words: "head and loss", "layer 3 · attention"
    Bytes activationPeak = 0;
    Bytes smallestPeak = 0; // of the schedule with the smallest peak
    std::string smallestOp; // the op that sets it
    std::string smallestWhere;
    Bytes maxSaving = 0;      // peak - smallestPeak, of the schedule that keeps everything
    bool approximate = false; // of the costs; the caller knows
};

/// The estimate of one schedule on costs of a model. Pure; a 70B model takes milliseconds.
[[nodiscard]] Result<Estimate> estimateOf(const ModelConfig &model, const Workload &workload, const ChainCosts &costs,
                                          const Schedule &schedule);

/// {peak_bytes, parts{}, peak_op, peak_where, activation_peak_bytes, smallest_peak_bytes, smallest_op, smallest_where,
/// max_saving_bytes, approximate}.
[[nodiscard]] Json toJson(const Estimate &estimate);

} // namespace remat::core
