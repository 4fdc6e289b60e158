// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace remat::core {

/// What a block of memory is for; the order is the stacking order of the timeline, long-lived first.
enum class Category : std::uint8_t {
    parameter,
    parameterGradient,
    optimizerState,
    input,
    constant,
    workspace,
    boundary,
    savedActivation,
    recomputedActivation,
    activationGradient,
    logitsAndLoss,
    castCopy,
    temporary,
    workerScratch,
    other
};
inline constexpr int kCategoryCount = 15;
[[nodiscard]] std::string_view toString(Category category);

/// True for what `activation_peak_bytes` counts.
[[nodiscard]] bool isActivation(Category category);

enum class Phase : std::uint8_t { forward, loss, recompute, backward, optimizer, other };
[[nodiscard]] std::string_view toString(Phase phase);

/// One op of a recorded step. `code` is the schedule's spelling ("E3"), or "zero", "clip", "optimizer" for what lies
/// around it. Times count from the start of the step.
struct OpRecord
{
    std::string code;
    int stage = -1; // stages() for the loss, -1 outside the schedule
    int microBatch = 0;
    Phase phase = Phase::other;
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    Nanoseconds rebuildNs = 0; // recomputation that an option does inside its own backward
    Bytes heldBefore = 0;
    Bytes peak = 0;
    Bytes heldAfter = 0;
};

/// One allocation (bytes > 0) or release (bytes < 0). Both events of a block carry its id and category. Worker scratch
/// is an event too, but never part of held bytes or peaks.
struct MemoryEvent
{
    Nanoseconds ns = 0;
    Bytes bytes = 0;
    std::uint32_t block = 0;
    std::uint32_t op = 0;   // index into Recording::ops
    std::uint16_t name = 0; // index into Recording::names: the operator that allocated
    Category category = Category::other;
    Phase phase = Phase::other;
};

/// One recorded step: every event, exactly. Held bytes at event k = sum of `baseline` + the sum of bytes up to k.
struct Recording
{
    std::array<Bytes, kCategoryCount> baseline{};
    std::vector<std::string> names;
    std::vector<OpRecord> ops;
    std::vector<MemoryEvent> events;
    bool synchronised = false; // CUDA: the device was waited for after each op, so that both clocks agree
};

/// Peaks and what was alive at them, from a recording.
struct RecordingPeaks
{
    Bytes peak = 0;
    std::size_t peakEvent = 0;
    std::array<Bytes, kCategoryCount> atPeak{};
    Bytes activationPeak = 0;
    std::size_t activationPeakEvent = 0;
    std::array<Bytes, kCategoryCount> atActivationPeak{};
    Bytes workerScratchPeak = 0;
};
[[nodiscard]] RecordingPeaks peaksOf(const Recording &recording);

/// Equal blocks of one op that were kept for the backward: alive when the first micro-batch's loss begins, and no
/// parameter, gradient or the like.
struct KeptBlock
{
    int stage = -1;
    std::string op;   // that made it: "E3"
    std::string name; // the operator: "aten::gelu"
    Category category = Category::savedActivation;
    Bytes bytes = 0; // of one
    int count = 0;
    Nanoseconds made = 0;    // the first of them
    Nanoseconds dropped = 0; // the last of them
};
/// By op and operator, in the order in which they were made.
[[nodiscard]] std::vector<KeptBlock> keptBlocks(const Recording &recording);

/// Groups of stages that were executed again in the first micro-batch, each for the backwards that follow it.
[[nodiscard]] int segmentsRecomputed(const Recording &recording);

} // namespace remat::core
