// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/stage.h"
#include "schedule/schedule.h"

namespace remat::core {

/// Options of a block's stages for one run of a list: of the attention and the feed-forward half, or of the whole block
/// (first). Empty: keep_all.
struct ProbeOptions
{
    std::string first;
    std::string second;

    /// What a stage of a chain of this shape runs with.
    [[nodiscard]] const std::string &idFor(const ChainShape &shape, int stage) const;
};

/// Option ids sorted into runs, each of which shows at most one per half.
[[nodiscard]] std::vector<ProbeOptions> pairUp(const std::vector<std::string> &options, const ChainShape &shape);

/// The op lists that show every stage of a small model in each way it can be run. Stages below the first trainable one are
/// only run forward in all of them.
/// keepAll: each stage once with its graph, in the first forward.
[[nodiscard]] Schedule keepAllList(const ChainShape &shape, const ProbeOptions &options);
/// rerunBlocks: block stages forward first, then again one by one, each with its graph and a phantom output.
[[nodiscard]] Schedule rerunBlocksList(const ChainShape &shape, const ProbeOptions &options);
/// rerunAll: the same with embedding and final norm.
[[nodiscard]] Schedule rerunAllList(const ChainShape &shape);

/// The text of an op of these lists: F3, B3.
[[nodiscard]] inline std::string forwardCode(int stage)
{
    return "F" + std::to_string(stage);
}
[[nodiscard]] inline std::string backwardCode(int stage)
{
    return "B" + std::to_string(stage);
}

} // namespace remat::core
