// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/units.h"

namespace remat::gpu {

/// Times of `marks` events in nanoseconds since the first, from the milliseconds between neighbours. A device tells
/// them as a float: 24 bits, 64 ns at one second and 1 µs at 16, so only the short parts between neighbours are read so, and
/// their sum is kept in double.
template <typename ElapsedMs>
[[nodiscard]] std::vector<core::Nanoseconds> timesSinceFirst(std::size_t marks, const ElapsedMs &elapsedMs)
{
    constexpr double kNanosecondsPerMillisecond = 1e6;
    std::vector<core::Nanoseconds> times;
    times.reserve(marks);
    double ns = 0;
    for (std::size_t i = 0; i < marks; ++i) {
        if (i > 0)
            ns += static_cast<double>(elapsedMs(i - 1, i)) * kNanosecondsPerMillisecond;
        times.push_back(std::llround(ns));
    }
    return times;
}

} // namespace remat::gpu
