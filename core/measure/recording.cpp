// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/recording.h"

#include <algorithm>

namespace remat::core {

namespace {

constexpr std::array<std::string_view, kCategoryCount> kCategoryNames{"parameter",
                                                                      "parameter_gradient",
                                                                      "optimizer_state",
                                                                      "input",
                                                                      "constant",
                                                                      "workspace",
                                                                      "boundary",
                                                                      "saved_activation",
                                                                      "recomputed_activation",
                                                                      "activation_gradient",
                                                                      "logits_and_loss",
                                                                      "cast_copy",
                                                                      "temporary",
                                                                      "worker_scratch",
                                                                      "other"};

constexpr std::array<std::string_view, 6> kPhaseNames{"forward", "loss", "recompute", "backward", "optimizer", "other"};

/// Held bytes by category while walking through the events.
struct Running
{
    std::array<Bytes, kCategoryCount> held{};
    Bytes total = 0;
    Bytes activation = 0;

    void add(Category category, Bytes bytes)
    {
        held[static_cast<std::size_t>(category)] += bytes;
        if (category != Category::workerScratch)
            total += bytes;
        if (isActivation(category))
            activation += bytes;
    }
};

} // namespace

std::string_view toString(Category category)
{
    return kCategoryNames.at(static_cast<std::size_t>(category));
}

bool isActivation(Category category)
{
    switch (category) {
    case Category::parameter:
    case Category::parameterGradient:
    case Category::optimizerState:
    case Category::input:
    case Category::constant:
    case Category::workspace:
    case Category::workerScratch:
        return false;
    default:
        return true;
    }
}

std::string_view toString(Phase phase)
{
    return kPhaseNames.at(static_cast<std::size_t>(phase));
}

RecordingPeaks peaksOf(const Recording &recording)
{
    Running running;
    for (int i = 0; i < kCategoryCount; ++i)
        running.add(static_cast<Category>(i), recording.baseline[static_cast<std::size_t>(i)]);
    RecordingPeaks peaks;
    peaks.peak = running.total;
    peaks.activationPeak = running.activation;
    peaks.atPeak = peaks.atActivationPeak = running.held;
    Bytes scratch = running.held[static_cast<std::size_t>(Category::workerScratch)];
    peaks.workerScratchPeak = scratch;
    for (std::size_t i = 0; i < recording.events.size(); ++i) {
        const MemoryEvent &event = recording.events[i];
        running.add(event.category, event.bytes);
        if (running.total > peaks.peak) {
            peaks.peak = running.total;
            peaks.peakEvent = i;
            peaks.atPeak = running.held;
        }
        if (running.activation > peaks.activationPeak) {
            peaks.activationPeak = running.activation;
            peaks.activationPeakEvent = i;
            peaks.atActivationPeak = running.held;
        }
        scratch = running.held[static_cast<std::size_t>(Category::workerScratch)];
        peaks.workerScratchPeak = std::max(peaks.workerScratchPeak, scratch);
    }
    return peaks;
}

} // namespace remat::core
