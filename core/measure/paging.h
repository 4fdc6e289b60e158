// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "measure/training_backend.h"

namespace remat::core {

/// What the timed steps of one run told about memory: sums for the host, the most seen for a device. A plain value.
struct PagingSigns
{
    int steps = 0;
    std::int64_t majorFaults = 0; // pages read from a disk while the steps ran
    Bytes swapped = 0;            // swap that this process gained while they ran
    Bytes deviceUsed = -1;
    Bytes deviceTotal = -1;
    Bytes reserved = -1;
};

/// Adds one timed step, by what was read before and after it.
void addStep(PagingSigns &signs, const MemoryPressure &before, const MemoryPressure &after);

/// Times of the same steps; `predicted` is 0 where no prediction exists.
struct PagingTimes
{
    Nanoseconds fastest = 0;
    Nanoseconds slowest = 0;
    Nanoseconds median = 0;
    Nanoseconds predicted = 0;
};

/// A sentence where memory was probably moved to a slower place during the timed steps, so that nobody takes the time
/// for that of the schedule; empty without a sign.
[[nodiscard]] std::string pagingSuspicion(const PagingSigns &signs, const PagingTimes &times);

/// Faults and swap of this process now.
[[nodiscard]] MemoryPressure hostPressure();

/// The swap of a process from the text of its /proc/…/status; -1 where it does not say.
[[nodiscard]] Bytes swappedFrom(std::istream &status);

} // namespace remat::core
