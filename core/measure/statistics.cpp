// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace remat::core {

namespace {

constexpr double kNormal95 = 1.96;     // of a standard normal distribution 95 % lie within
constexpr std::size_t kLeastPairs = 6; // of fewer, even all on one side happen by chance more often than that

/// Type 7: position (n - 1) p between the order statistics.
Nanoseconds quantile(const std::vector<Nanoseconds> &sorted, double p)
{
    const double position = static_cast<double>(sorted.size() - 1) * p;
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = position - static_cast<double>(below);
    const auto distance = static_cast<double>(sorted[above] - sorted[below]);
    return sorted[below] + static_cast<Nanoseconds>(std::llround(distance * part));
}

} // namespace

StepTime summarise(std::vector<Nanoseconds> steps)
{
    StepTime time;
    if (steps.empty())
        return time;
    std::sort(steps.begin(), steps.end());
    time.median = quantile(steps, 0.5);
    time.q1 = quantile(steps, 0.25);
    time.q3 = quantile(steps, 0.75);
    time.n = static_cast<int>(steps.size());
    return time;
}

double relativeSpread(const StepTime &time)
{
    if (time.median == 0)
        return 0.0;
    return static_cast<double>(time.q3 - time.q1) / static_cast<double>(time.median);
}

bool separable(const StepTime &a, const StepTime &b)
{
    return a.n > 0 && b.n > 0 && (a.q3 < b.q1 || b.q3 < a.q1);
}

Nanoseconds medianBeside(const std::vector<Nanoseconds> &samples, const std::vector<Nanoseconds> &reference)
{
    std::vector<Nanoseconds> differences;
    for (std::size_t i = 0; i < std::min(samples.size(), reference.size()); ++i)
        differences.push_back(samples[i] - reference[i]);
    if (differences.empty())
        return 0;
    std::sort(differences.begin(), differences.end());
    const auto n = static_cast<double>(differences.size());
    const auto low = static_cast<std::size_t>(std::max(0.0, std::round((n - kNormal95 * std::sqrt(n)) / 2.0) - 1.0));
    const bool shown
        = differences.size() >= kLeastPairs && (differences[low] > 0 || differences[differences.size() - 1 - low] < 0);
    return summarise(reference).median + (shown ? quantile(differences, 0.5) : 0);
}

} // namespace remat::core
