// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/stack_data.h"

#include <algorithm>

namespace remat::ui {

namespace {

constexpr std::size_t kSnapshotStride = 512;
constexpr std::size_t kFanOut = 32;

} // namespace

StackData::StackData(const core::Recording &recording, const StackOptions &options)
{
    makeSeries(options);
    const std::size_t count = recording.events.size() + 1;
    m_ns.reserve(count);
    m_total.reserve(count);
    m_delta.reserve(count);
    m_target.reserve(count);
    std::vector<core::Bytes> held(m_series.size(), 0);
    for (int c = 0; c < core::kCategoryCount; ++c) {
        const auto category = static_cast<core::Category>(c);
        if (category == core::Category::workerScratch || (!options.everything && !core::isActivation(category)))
            continue;
        held[options.byLayer ? 0 : static_cast<std::size_t>(c)] += recording.baseline[static_cast<std::size_t>(c)];
    }
    core::Bytes total = 0;
    for (const core::Bytes bytes : held)
        total += bytes;
    m_ns.push_back(0);
    m_total.push_back(total);
    m_delta.push_back(0);
    m_target.push_back(-1);
    m_snapshots = held;
    std::vector<bool> used(m_series.size());
    for (std::size_t s = 0; s < held.size(); ++s)
        used[s] = held[s] > 0;
    for (const core::MemoryEvent &event : recording.events) {
        const int target = seriesOf(recording, event, options);
        if (target >= 0) {
            total += event.bytes;
            held[static_cast<std::size_t>(target)] += event.bytes;
            used[static_cast<std::size_t>(target)] = true;
        }
        m_ns.push_back(std::max(event.ns, m_ns.back()));
        m_total.push_back(total);
        m_delta.push_back(target >= 0 ? event.bytes : 0);
        m_target.push_back(target);
        if (m_ns.size() % kSnapshotStride == 1)
            m_snapshots.insert(m_snapshots.end(), held.begin(), held.end());
    }
    for (std::size_t s = 0; s < used.size(); ++s) {
        if (used[s])
            m_used.push_back(static_cast<int>(s));
    }
    m_duration = std::max<core::Nanoseconds>(
        1, recording.ops.empty() ? m_ns.back() : std::max(recording.ops.back().end, m_ns.back()));
    makePyramid();
    makePhases(recording);
    m_peak = highest(0, m_total.size() - 1);
}

void StackData::makeSeries(const StackOptions &options)
{
    if (!options.byLayer) {
        for (int c = 0; c < core::kCategoryCount; ++c)
            m_series.push_back({static_cast<core::Category>(c), -1,
                                static_cast<core::Category>(c) == core::Category::recomputedActivation, false});
        return;
    }
    m_series.push_back({core::Category::other, -1, false, true});
    for (int layer = 0; layer < options.shape.layers; ++layer) {
        m_series.push_back({core::Category::savedActivation, layer, false, true});
        m_series.push_back({core::Category::recomputedActivation, layer, true, true});
    }
}

int StackData::seriesOf(const core::Recording &recording, const core::MemoryEvent &event,
                        const StackOptions &options) const
{
    if (event.category == core::Category::workerScratch || (!options.everything && !core::isActivation(event.category)))
        return -1;
    if (!options.byLayer)
        return static_cast<int>(event.category);
    const int stage = event.op < recording.ops.size() ? recording.ops[event.op].stage : -1;
    const int layer = options.shape.layerOf(stage);
    return layer < 0 ? 0 : 1 + 2 * layer + (event.category == core::Category::recomputedActivation ? 1 : 0);
}

void StackData::makePyramid()
{
    std::vector<std::uint32_t> level;
    const auto higher = [this](std::uint32_t a, std::uint32_t b) { return m_total[b] > m_total[a] ? b : a; };
    for (std::size_t begin = 0; begin < m_total.size(); begin += kFanOut) {
        auto best = static_cast<std::uint32_t>(begin);
        for (std::size_t i = begin; i < std::min(begin + kFanOut, m_total.size()); ++i)
            best = higher(best, static_cast<std::uint32_t>(i));
        level.push_back(best);
    }
    m_pyramid.push_back(level);
    while (m_pyramid.back().size() > 1) {
        const std::vector<std::uint32_t> &below = m_pyramid.back();
        level.clear();
        for (std::size_t begin = 0; begin < below.size(); begin += kFanOut) {
            std::uint32_t best = below[begin];
            for (std::size_t i = begin; i < std::min(begin + kFanOut, below.size()); ++i)
                best = higher(best, below[i]);
            level.push_back(best);
        }
        m_pyramid.push_back(level);
    }
}

std::size_t StackData::highest(std::size_t first, std::size_t last) const
{
    std::size_t best = first;
    const auto look = [&](std::size_t state) {
        if (m_total[state] > m_total[best] || (m_total[state] == m_total[best] && state < best))
            best = state;
    };
    std::size_t i = first;
    while (i <= last) {
        // The widest block of the pyramid that starts here and ends within the range.
        std::size_t width = 1;
        const std::vector<std::uint32_t> *level = nullptr;
        for (const auto &candidate : m_pyramid) {
            const std::size_t wider = width * kFanOut;
            if (i % wider != 0 || i + wider - 1 > last)
                break;
            width = wider;
            level = &candidate;
        }
        look(level ? (*level)[i / width] : i);
        i += width;
    }
    return best;
}

std::size_t StackData::stateAt(core::Nanoseconds ns) const
{
    const auto after = std::upper_bound(m_ns.begin(), m_ns.end(), ns);
    return after == m_ns.begin() ? 0 : static_cast<std::size_t>(after - m_ns.begin()) - 1;
}

void StackData::makePhases(const core::Recording &recording)
{
    for (const core::OpRecord &op : recording.ops) {
        if (!m_phases.empty() && m_phases.back().phase == op.phase)
            m_phases.back().end = op.end;
        else
            m_phases.push_back({op.phase, op.begin, op.end, 0, 0});
    }
    for (PhaseSpan &span : m_phases) {
        span.beginState = stateAt(span.begin);
        span.endState = stateAt(span.end);
    }
}

StackData::Walker::Walker(const StackData &data)
    : m_data(data),
      m_held(data.m_snapshots.begin(), data.m_snapshots.begin() + static_cast<std::ptrdiff_t>(data.m_series.size()))
{
}

const std::vector<core::Bytes> &StackData::Walker::at(std::size_t state)
{
    const std::size_t snapshot = state / kSnapshotStride;
    if (state < m_state || snapshot > m_state / kSnapshotStride) {
        const std::size_t width = m_data.m_series.size();
        const auto begin = m_data.m_snapshots.begin() + static_cast<std::ptrdiff_t>(snapshot * width);
        std::copy(begin, begin + static_cast<std::ptrdiff_t>(width), m_held.begin());
        m_state = snapshot * kSnapshotStride;
    }
    while (m_state < state) {
        ++m_state;
        if (m_data.m_target[m_state] >= 0)
            m_held[static_cast<std::size_t>(m_data.m_target[m_state])] += m_data.m_delta[m_state];
    }
    return m_held;
}

} // namespace remat::ui
