// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/recursive_plan.h"

#include <algorithm>

namespace remat::tests {

using namespace core;

namespace {

void offer(std::optional<Nanoseconds> &best, const std::optional<Nanoseconds> &other)
{
    if (other && (!best || *other < *best))
        best = other;
}

} // namespace

std::optional<Nanoseconds> RecursivePlan::time(Bytes budget)
{
    return solve(0, m_last, budget - m_costs.staticBytes - m_costs.input);
}

/// Parameter gradients that the backwards of stages [s, t] leave behind.
Bytes RecursivePlan::gradients(int s, int t) const
{
    Bytes sum = t == m_last ? m_costs.loss.gradientGrowth : 0;
    for (int i = s; i <= t && i < m_last; ++i)
        sum += stage(i).gradientGrowth;
    return sum;
}

RecursivePlan::Time RecursivePlan::solve(int s, int t, Bytes m)
{
    if (m < 0)
        return {};
    if (s == m_last)
        return m >= m_costs.loss.first.total ? Time(m_costs.loss.ns) : Time();
    if (const auto known = m_known.find({s, t, m}); known != m_known.end())
        return known->second;
    Time best = keep(s, t, m);
    offer(best, keepOnlyInput(s, t, m));
    m_known[{s, t, m}] = best;
    return best;
}

/// C2 and the single stage: the guard is m_all, whose backward part holds the output twice where the graph keeps it.
RecursivePlan::Time RecursivePlan::keep(int s, int t, Bytes m)
{
    Time best;
    const Bytes output = boundary(s + 1);
    for (const auto &[id, option] : stage(s).options) {
        const Bytes graph = option.saved + (option.keepsOutput ? output : 0);
        const Bytes backward = output + graph + option.backwardFirst.total;
        const Nanoseconds back = option.backwardNs + option.rebuildNs;
        if (s == t) {
            if (m >= backward && m >= output + option.forwardSavePhantom.total)
                offer(best, option.phantomNs + back);
            continue;
        }
        const Bytes gradientAfter = t == m_last ? 0 : boundary(t + 1);
        if (m < gradientAfter + option.forwardSave.total || m < backward + gradients(s + 1, t))
            continue;
        if (const Time rest = solve(s + 1, t, m - option.saved - output))
            offer(best, option.forwardSaveNs + back + *rest);
    }
    return best;
}

/// C1: forward to j with the input kept; m_none holds for the forwards that are run, s … j-1.
RecursivePlan::Time RecursivePlan::keepOnlyInput(int s, int t, Bytes m)
{
    Time best;
    const Bytes gradientAfter = t == m_last ? 0 : boundary(t + 1);
    Nanoseconds forward = 0;
    for (int j = s + 1; j <= t; ++j) {
        const Bytes held = j - 1 == s ? 0 : boundary(j - 1);
        if (m < gradientAfter + held + stage(j - 1).forward.total)
            break;
        forward += stage(j - 1).forwardNs;
        const Time upper = solve(j, t, m - boundary(j));
        const Time lower = upper ? solve(s, j - 1, m - gradients(j, t)) : Time();
        if (lower)
            offer(best, forward + *upper + *lower);
    }
    return best;
}

} // namespace remat::tests
