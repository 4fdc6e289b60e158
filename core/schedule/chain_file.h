// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "schedule/chain_costs.h"

namespace remat::core {

/// A chain read from a file. Times in the file may have fractions; the costs hold whole numbers, `timeScale` of them to
/// one unit of the file (1 where all times are whole).
struct ChainFile
{
    ChainCosts costs;
    std::int64_t timeScale = 1;
};

/// Reads the costs of an abstract chain of L stages and a loss (notation of Beaumont et al., arXiv 1911.13214):
///
///     {"format":"remat-chain", "version":1,                                   both may be absent
///      "boundary":[L+1],                      sizes of the boundaries; the first is held throughout and counted
///      "saved":[L], "forward":[L], "backward":[L],       what a graph keeps besides the output; times
///      "forward_transient":[L], "backward_transient":[L], "loss_transient":0, "loss_time":0,
///      "keeps_output":true | [L],             the graph holds its output until its backward
///      "run":[L], "run_transient":[L],        forward without graph; default: option 0's
///      "forward_phantom":[L], "phantom_transient":[L],   a saving forward whose output nobody reads; default: as if it
///                                             were made and dropped. A transient given here is on top of what is kept
///      "gradient":[L]}                        bytes that stay from the stage's backward on
///
/// An entry of saved, forward, backward, forward_phantom and their transients is a number or a list with one number per
/// option; a single number holds for all. Option k > 0 is written E3:k. Sizes are whole numbers. A document of format "remat-costs" (what
/// a session keeps), or one that holds it under "costs", is taken as it is.
[[nodiscard]] Result<ChainFile> chainFromJson(const Json &json, std::string_view what);

} // namespace remat::core
