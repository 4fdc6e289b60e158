// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "plan/chain_table.h"
#include "plan/slots.h"

// The loops below are all the time of the program; the wider registers of most machines are chosen at load time.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define REMAT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define REMAT_WIDE
#endif

namespace remat::core {

namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr Bytes kMostSlots = 1'000'000;
constexpr std::int64_t kMostEntries = 100'000'000;
constexpr double kMostWork = 4e10;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

REMAT_WIDE void relaxBoth(float *row, const float *a, const float *b, float add, int count)
{
    for (int i = 0; i < count; ++i) {
        const float time = add + a[i] + b[i];
        row[i] = time < row[i] ? time : row[i];
    }
}

REMAT_WIDE void relaxOne(float *row, const float *a, float add, int count)
{
    for (int i = 0; i < count; ++i) {
        const float time = add + a[i];
        row[i] = time < row[i] ? time : row[i];
    }
}

} // namespace

/// Fills the rows of a table, short intervals first.
class ChainTableBuilder
{
public:
    ChainTableBuilder(const PlanChain &chain, const TableLimits &limits) : m_table(chain), m_chain(m_table.m_chain)
    {
        const int n = m_chain.size();
        m_table.m_slot = slotFor(m_chain, limits.slots);
        m_table.m_shared = sharedIntervals(m_chain);
        m_table.m_forwardUpTo.assign(at(n) + 1, 0.0);
        for (int i = 0; i < n; ++i) {
            const PlanStage &stage = m_chain.stages[at(i)];
            m_table.m_forwardUpTo[at(i) + 1] = m_table.m_forwardUpTo[at(i)] + static_cast<double>(stage.forwardNs);
        }
        m_table.m_gradientSlotsUpTo.assign(at(n) + 2, 0);
        for (int i = 0; i <= n; ++i)
            m_table.m_gradientSlotsUpTo[at(i) + 1]
                = ChainTable::sumOf(m_table.m_gradientSlotsUpTo[at(i)],
                                    m_table.slotsFor(i < n ? m_chain.stages[at(i)].gradient : m_chain.lossGradient));
        m_table.m_largest = limits.largest > 0
            ? static_cast<int>(std::min<Bytes>(limits.largest / m_table.m_slot + m_table.roundingSlots(), kMostSlots))
            : static_cast<int>(kMostSlots);
        m_table.m_rows.resize(at(n) + 1);
        for (int s = 0; s <= n; ++s)
            m_table.m_rows[at(s)].resize(at(n - s) + 1);
    }

    Result<ChainTable> build(const std::stop_token &stop)
    {
        const int n = m_chain.size();
        planSizes();
        if (m_entries > kMostEntries || m_work > kMostWork)
            return Error{ErrorCode::refused,
                         "A chain of " + std::to_string(n)
                             + " stages that differ is too long for the optimal planner; use a "
                               "simpler one (--planner uniform) or fewer stages."};
        for (int length = 0; length <= n; ++length) {
            if (stop.stop_requested())
                return Error{ErrorCode::cancelled, "Planning was cancelled."};
            for (int s = 0; s + length <= n; ++s)
                if (m_table.m_shared[at(s)][at(length)] == s)
                    fill(s, s + length);
        }
        return std::move(m_table);
    }

private:
    [[nodiscard]] ChainTable::Row &own(int s, int t) { return m_table.m_rows[at(s)][at(t - s)]; }

    /// From where on more memory does not help an interval: all of it kept, each stage in its fastest way.
    int fullAt(int s, int t)
    {
        if (s == m_chain.size())
            return m_table.slotsFor(m_chain.loss);
        const PlanStage &stage = m_chain.stages[at(s)];
        const auto time = [s, t](const PlanOption &o) { return (s == t ? o.phantomNs : o.saveNs) + o.backwardNs; };
        const auto fastest
            = std::min_element(stage.options.begin(), stage.options.end(),
                               [&](const PlanOption &a, const PlanOption &b) { return time(a) < time(b); });
        if (s == t)
            return m_table.loneGuard(s, *fastest);
        return std::max(
            m_table.keepGuard(s, t, *fastest),
            ChainTable::sumOf(m_table.row(s + 1, t).fullAt, m_table.slotsFor(fastest->saved + stage.output)));
    }

    void planSizes()
    {
        for (int length = 0; length <= m_chain.size(); ++length)
            for (int s = 0; s + length <= m_chain.size(); ++s) {
                if (m_table.m_shared[at(s)][at(length)] != s)
                    continue;
                ChainTable::Row &row = own(s, s + length);
                row.fullAt = fullAt(s, s + length);
                const std::int64_t entries = std::min(row.fullAt, m_table.m_largest) + 1;
                m_entries += entries;
                m_work += static_cast<double>(entries) * (length + 1);
            }
    }

    void fill(int s, int t)
    {
        ChainTable::Row &row = own(s, t);
        m_row.assign(at(std::min(row.fullAt, m_table.m_largest) + 1), kNever);
        if (s == m_chain.size()) {
            drop(m_table.slotsFor(m_chain.loss), static_cast<float>(m_chain.lossNs));
        } else {
            keep(s, t);
            recompute(s, t);
        }
        const auto first = std::find_if(m_row.begin(), m_row.end(), [](float time) { return time < kNever; });
        row.lo = static_cast<int>(first - m_row.begin());
        row.times.assign(first, m_row.end());
    }

    [[nodiscard]] int rowEnd() const { return static_cast<int>(m_row.size()); }

    /// Lowers the row from `from` on to at most `time`.
    void drop(int from, float time)
    {
        for (int m = std::max(from, 0); m < rowEnd() && m_row[at(m)] > time; ++m)
            m_row[at(m)] = time;
    }

    void keep(int s, int t)
    {
        const PlanStage &stage = m_chain.stages[at(s)];
        for (const PlanOption &option : stage.options) {
            const float own = static_cast<float>((s == t ? option.phantomNs : option.saveNs) + option.backwardNs);
            if (s == t) {
                drop(m_table.loneGuard(s, option), own);
                continue;
            }
            const ChainTable::Row &rest = m_table.row(s + 1, t);
            if (rest.times.empty())
                continue;
            const int offset = m_table.slotsFor(option.saved + stage.output);
            const int start = std::max(m_table.keepGuard(s, t, option), rest.lo + offset);
            if (start >= rowEnd())
                continue;
            const int full = std::clamp(rest.end() - 1 + offset, start, rowEnd());
            if (start < full)
                relaxOne(&m_row[at(start)], &rest.times[at(start - offset - rest.lo)], own, full - start);
            drop(full, own + rest.times.back());
        }
    }

    void recompute(int s, int t)
    {
        Bytes forwardNeed = m_chain.stages[at(s)].forward;
        int gradients = m_table.gradientSlots(s + 1, t);
        for (int j = s + 1; j <= t; ++j) {
            const int guard = m_table.slotsFor(m_chain.gradientAfter(t) + forwardNeed);
            const float forward = static_cast<float>(m_table.m_forwardUpTo[at(j)] - m_table.m_forwardUpTo[at(s)]);
            split({&m_table.row(j, t), m_table.slotsFor(m_chain.boundary(j))}, {&m_table.row(s, j - 1), gradients},
                  guard, forward);
            if (j == m_chain.size())
                break;
            gradients -= m_table.slotsFor(m_chain.stages[at(j)].gradient);
            forwardNeed = std::max(forwardNeed, m_chain.boundary(j) + m_chain.stages[at(j)].forward);
        }
    }

    /// A part of a split: its row, read `offset` slots lower.
    struct Part
    {
        const ChainTable::Row *row;
        int offset;
        [[nodiscard]] int lo() const { return row->lo + offset; }
        [[nodiscard]] int full() const { return row->end() - 1 + offset; }
        [[nodiscard]] const float *from(int slots) const { return &row->times[at(slots - offset - row->lo)]; }
    };

    void split(Part a, Part b, int guard, float forward)
    {
        if (a.row->times.empty() || b.row->times.empty())
            return;
        if (a.full() > b.full())
            std::swap(a, b);
        const float best = forward + a.row->times.back() + b.row->times.back();
        const int start = std::max({guard, a.lo(), b.lo()});
        // The row never rises, so from some slot on it is below the best that this split can do.
        const auto stop = std::partition_point(m_row.begin(), m_row.end(), [best](float time) { return time > best; });
        const int end = static_cast<int>(stop - m_row.begin());
        const int bothEnd = std::min(end, a.full());
        if (start < bothEnd)
            relaxBoth(&m_row[at(start)], a.from(start), b.from(start), forward, bothEnd - start);
        const int oneStart = std::max(start, a.full());
        const int oneEnd = std::min(end, b.full());
        if (oneStart < oneEnd)
            relaxOne(&m_row[at(oneStart)], b.from(oneStart), forward + a.row->times.back(), oneEnd - oneStart);
        for (int m = std::max(start, b.full()); m < end; ++m)
            m_row[at(m)] = std::min(m_row[at(m)], best);
    }

    ChainTable m_table;
    const PlanChain &m_chain;
    std::vector<float> m_row;
    std::int64_t m_entries = 0;
    double m_work = 0.0;
};

Result<ChainTable> ChainTable::make(const PlanChain &chain, const TableLimits &limits, std::stop_token stop)
{
    return ChainTableBuilder(chain, limits).build(stop);
}

} // namespace remat::core
