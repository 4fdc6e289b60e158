// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "schedule/chain_costs.h"

namespace remat::core {

/// Reads a chain file, in the notation of the literature (Beaumont et al., "Optimal re-materialization strategies for
/// heterogeneous chains"), for L stages and the loss:
///
///     {"format":"remat-chain","version":1,
///      "w":[L+1 sizes of the boundaries], "W":[L sizes that a stage's graph keeps, output included],
///      "f":[L forward times], "g":[L backward times],
///      "of":[L transients of a forward], "ob":[L+1 transients of a backward, the loss's last],
///      "keeps_output":true, "loss_time":0,
///      "W_phantom":[L], "f_phantom":[L]   of a forward whose output nobody reads; default: W and f,
///      "options":[{"id":"1","W":[L],"f":[L],"g":[L],"of":[L],"ob":[L]}, …]}
///
/// "of", "ob" default to zeros; whole numbers of any unit. With keeps_output false a graph does not hold its output. An
/// option's missing lists are those of keep-all. A document of format "remat-costs" (what a session keeps), or one that
/// holds it under "costs", is taken as it is.
[[nodiscard]] Result<ChainCosts> chainFromJson(const Json &json, std::string_view what);

} // namespace remat::core
