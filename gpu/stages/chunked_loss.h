// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "stages/projection.h"

namespace remat::gpu {

struct ChunkSettings
{
    at::Tensor anchor; // as in rebuilt()
    at::Tensor tick;
    int chunks = 1;
};

/// Mean cross entropy of logits(x) over the targets that count (-100 does not), in `chunks` runs of the rows of x, so that
/// the logits of one run exist at a time; the backward makes them again, as recomputation. Exact to rounding against the
/// whole. x [batch, seq, width], targets [batch, seq].
[[nodiscard]] at::Tensor chunkedLoss(const at::Tensor &x, const at::Tensor &targets, const Rebuild &logits,
                                     const ChunkSettings &settings);

} // namespace remat::gpu
