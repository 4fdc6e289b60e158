// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace remat::core {

/// Bytes that this process may still use: what the system has available, or the limit of its control group (version 2, then
/// 1) where that is less. 0 where neither can be read.
[[nodiscard]] Bytes availableHostMemory();

/// What a run on the CPU may hold without a budget of its own: 80 % of that, so that the machine never swaps.
[[nodiscard]] Bytes defaultCpuBudget();

} // namespace remat::core
