// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <optional>

#include "schedule/chain_costs.h"

namespace remat::tests {

/// Budget -> least step time from that budget on, over all valid schedules: a shortest path (Dijkstra) over what is held,
/// which graphs are alive, and how far the backward is. Boundaries may be dropped and made again at any time, so unlike
/// the planner's its schedules need not be persistent; a boundary that a live graph holds can not be dropped. For up to 7
/// stages; one micro-batch, everything trained, no remembered bytes, inputs pinned, phantoms no dearer than what they
/// replace.
using TimeFront = std::map<core::Bytes, core::Nanoseconds>;
[[nodiscard]] TimeFront exhaustiveFront(const core::ChainCosts &costs);

/// Empty: nothing fits.
[[nodiscard]] std::optional<core::Nanoseconds> leastTime(const TimeFront &front, core::Bytes budget);

} // namespace remat::tests
