// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "measure/recording.h"
#include "memory/memory_event_log.h"

namespace remat::gpu {

/// Turns a recorder's raw events into a Recording. Every block gets one category: the last tag it carried, else what
/// follows from the op that made it: alive at the op's end in a ForwardSave means saved (or recomputed) activation, in
/// the loss it belongs to logits and loss, else it is a temporary. `ops` must be complete but for their bytes, which are
/// filled in here; `stepBegin` is the clock's reading at the start of the step.
[[nodiscard]] core::Recording buildRecording(const MemoryEventLog &log, std::vector<core::OpRecord> ops,
                                             const std::array<core::Bytes, core::kCategoryCount> &baseline,
                                             core::Nanoseconds stepBegin);

} // namespace remat::gpu
