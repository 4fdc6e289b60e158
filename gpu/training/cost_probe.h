// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "device_parts.h"
#include "model/workload.h"
#include "schedule/chain_costs.h"

namespace remat::gpu {

/// Costs of every stage of `model` with the given options, found by running a small sibling at the true sizes for each kind
/// of block that occurs: one block, or two where the first trained block is not like the others because its input takes no
/// gradient. Three op lists show each stage as F, E, E with phantom output and B, in the first and in a later micro-batch,
/// two more show each pair of options. Exact to the byte where LibTorch allocates the same in every block; times are
/// medians.
[[nodiscard]] core::Result<core::ChainCosts> probeCosts(const core::ModelConfig &model, const core::Workload &workload,
                                                        const std::vector<std::string> &options, DeviceParts &parts,
                                                        std::stop_token stop);

} // namespace remat::gpu
