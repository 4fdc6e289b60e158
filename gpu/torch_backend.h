// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "measure/engine_entry.h"

namespace remat::gpu {

/// Makes the engine in this process: puts the recording allocator in place, opens CUDA where a CUDA device is asked for
/// (before anything else of LibTorch runs), makes the calling thread the executor's. Once a process.
[[nodiscard]] std::unique_ptr<core::TrainingBackend> makeTorchBackend(const core::EngineOptions &options);

} // namespace remat::gpu
