// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "measure/training_backend.h"

namespace remat::app {

/// Opens libremat_engine.so, once a process: beside the program as built (../lib) or installed (../lib/rematscope, or the
/// program's own folder), or at the path in REMAT_ENGINE. The calling thread becomes the engine's only thread.
/// A missing engine is an Error with one sentence.
[[nodiscard]] core::Result<std::unique_ptr<core::TrainingBackend>> openEngine(const std::string &device, int threads);

/// The path of the running program.
[[nodiscard]] std::string programPath();

} // namespace remat::app
