// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/session.h"

namespace remat::core {

/// A point with what the session says about its run: workload, started_at, note, starred, hidden.
[[nodiscard]] Json storedRunJson(const StoredRun &run);

/// The whole of a session's facts: {"format":"remat-export","version":1,"workloads":[…],"points":[…]}. Events stay in the
/// session.
[[nodiscard]] Json exportJson(const std::vector<StoredWorkload> &workloads, const std::vector<StoredRun> &runs);

} // namespace remat::core
