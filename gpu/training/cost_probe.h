// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stop_token>

#include "device_parts.h"
#include "model/workload.h"
#include "schedule/chain_costs.h"

namespace remat::gpu {

/// Costs of every stage of `model`, found by running a one-block sibling at the true sizes under three op lists that
/// show each stage as F, E, E with phantom output and B, in the first and in a later micro-batch, and once more with
/// every option. Exact to the byte where LibTorch allocates the same in every block; times are medians.
[[nodiscard]] core::Result<core::ChainCosts> probeCosts(const core::ModelConfig &model, const core::Workload &workload,
                                                        DeviceParts &parts, std::stop_token stop);

} // namespace remat::gpu
