// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/recording.h"

#include <algorithm>
#include <map>
#include <tuple>

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

bool isKeptForBackward(Category category)
{
    return category == Category::savedActivation || category == Category::boundary || category == Category::castCopy;
}

/// The op that computes the first loss, or past the end.
std::size_t firstLoss(const Recording &recording)
{
    const auto isLoss = [](const OpRecord &op) { return op.code == "L" && op.microBatch == 0; };
    return static_cast<std::size_t>(std::find_if(recording.ops.begin(), recording.ops.end(), isLoss)
                                    - recording.ops.begin());
}

/// Blocks alive when an op begins, by their id, in the order in which they were made.
std::map<std::uint32_t, const MemoryEvent *> aliveBefore(const Recording &recording, std::size_t op)
{
    std::map<std::uint32_t, const MemoryEvent *> alive;
    for (const MemoryEvent &event : recording.events) {
        if (event.op >= op)
            break;
        if (event.bytes > 0 && isKeptForBackward(event.category))
            alive[event.block] = &event;
        else if (event.bytes < 0)
            alive.erase(event.block);
    }
    return alive;
}

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

std::vector<KeptBlock> keptBlocks(const Recording &recording)
{
    const std::size_t loss = firstLoss(recording);
    if (loss >= recording.ops.size())
        return {};
    const auto alive = aliveBefore(recording, loss);
    std::map<std::uint32_t, Nanoseconds> dropped;
    for (const MemoryEvent &event : recording.events)
        if (event.bytes < 0 && event.op >= loss)
            dropped.emplace(event.block, event.ns);
    std::vector<KeptBlock> blocks;
    std::map<std::tuple<std::uint32_t, std::uint16_t, Category, Bytes>, std::size_t> places;
    std::vector<const MemoryEvent *> made;
    for (const auto &[block, event] : alive)
        made.push_back(event);
    std::sort(made.begin(), made.end()); // all point into one list, which is ordered by time
    for (const MemoryEvent *event : made) {
        const auto [place, isNew]
            = places.emplace(std::tuple(event->op, event->name, event->category, event->bytes), blocks.size());
        if (isNew) {
            const OpRecord &op = recording.ops[event->op];
            const std::string name
                = event->name < recording.names.size() ? recording.names[event->name] : std::string();
            blocks.push_back({op.stage, op.code, name, event->category, event->bytes, 0, event->ns, 0});
        }
        KeptBlock &block = blocks[place->second];
        const auto end = dropped.find(event->block);
        ++block.count;
        block.dropped = std::max(block.dropped, end != dropped.end() ? end->second : recording.ops.back().end);
    }
    return blocks;
}

int segmentsRecomputed(const Recording &recording)
{
    int segments = 0;
    bool inside = false;
    for (std::size_t i = firstLoss(recording); i < recording.ops.size() && recording.ops[i].microBatch == 0; ++i) {
        const OpRecord &op = recording.ops[i];
        const bool again = op.phase == Phase::recompute && !op.code.starts_with('B');
        segments += again && !inside ? 1 : 0;
        inside = again;
    }
    return segments;
}

} // namespace remat::core
