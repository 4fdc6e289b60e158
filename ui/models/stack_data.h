// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "measure/recording.h"
#include "model/stage.h"

namespace remat::ui {

/// One band of the stack: a category, or what one layer holds. `layer` -1 in layer stacks: outside the blocks.
struct StackSeries
{
    core::Category category = core::Category::other;
    int layer = -1;
    bool recomputed = false;
    bool byLayer = false;
};

struct StackOptions
{
    bool byLayer = false;
    bool everything = false; // false: activations only
    core::ChainShape shape;

    friend bool operator==(const StackOptions &, const StackOptions &) = default;
};

/// A stretch of a step with one phase, both as times and as states.
struct PhaseSpan
{
    core::Phase phase = core::Phase::other;
    core::Nanoseconds begin = 0, end = 0;
    std::size_t beginState = 0, endState = 0;
};

/// The held bytes of a recorded step as stacked series. State 0 is the start of the step, state k+1 follows event k.
/// Totals carry a pyramid of maxima, so that the highest state of any stretch is found at once and no zoom level loses
/// the peak; compositions are replayed from the nearest of sparse snapshots. Made once, then shared and only read.
class StackData
{
public:
    StackData(const core::Recording &recording, const StackOptions &options);

    [[nodiscard]] const std::vector<StackSeries> &series() const { return m_series; }
    /// Bands that are never empty, ascending: what a legend lists.
    [[nodiscard]] const std::vector<int> &usedSeries() const { return m_used; }
    [[nodiscard]] std::size_t states() const { return m_ns.size(); }
    [[nodiscard]] core::Nanoseconds nsOf(std::size_t state) const { return m_ns[state]; }
    [[nodiscard]] core::Nanoseconds duration() const { return m_duration; }
    [[nodiscard]] core::Bytes total(std::size_t state) const { return m_total[state]; }
    [[nodiscard]] const std::vector<PhaseSpan> &phases() const { return m_phases; }

    /// The state in force at a time.
    [[nodiscard]] std::size_t stateAt(core::Nanoseconds ns) const;
    /// The first state with the largest total in [first, last].
    [[nodiscard]] std::size_t highest(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::size_t peak() const { return m_peak; }

    /// Walks over compositions; cheap for ascending states. One walker a use, the data outlives it.
    class Walker
    {
    public:
        explicit Walker(const StackData &data);
        /// Held bytes of every series at the state; valid until the next call.
        const std::vector<core::Bytes> &at(std::size_t state);

    private:
        const StackData &m_data;
        std::vector<core::Bytes> m_held;
        std::size_t m_state = 0;
    };

private:
    void makeSeries(const StackOptions &options);
    void makePyramid();
    void makePhases(const core::Recording &recording);
    [[nodiscard]] int seriesOf(const core::Recording &recording, const core::MemoryEvent &event,
                               const StackOptions &options) const;

    std::vector<StackSeries> m_series;
    std::vector<int> m_used;
    std::vector<core::Nanoseconds> m_ns;
    std::vector<core::Bytes> m_total;
    std::vector<core::Bytes> m_delta;
    std::vector<std::int32_t> m_target;
    std::vector<core::Bytes> m_snapshots;
    std::vector<std::vector<std::uint32_t>> m_pyramid;
    std::vector<PhaseSpan> m_phases;
    core::Nanoseconds m_duration = 0;
    std::size_t m_peak = 0;
};

} // namespace remat::ui
