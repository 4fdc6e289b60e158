// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/stage.h"
#include "schedule/chain_costs.h"

namespace remat::core {

/// Strategies worth measuring on these costs: `none`, `every:1`, and of each family (every:N, segments:K, best plans as
/// budget:BYTES) the smallest peak and, as long as one lowers the family's predicted front by more than `spread` somewhere
/// and the family has not had its share of `most`, the point that lowers the area below it most. In that order.
[[nodiscard]] Result<std::vector<std::string>> strategiesThatMatter(const ChainCosts &costs, const ChainShape &shape,
                                                                    double spread = 0.02, int most = 16);

} // namespace remat::core
