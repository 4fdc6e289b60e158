// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/training_backend.h"

namespace remat::core {

/// What the program tells the engine library when it opens it, before the first call into torch.
struct EngineOptions
{
    int abi = 1;                // must equal kEngineAbi
    const char *device = "cpu"; // "cuda:N" makes the engine open the CUDA libraries first
    int threads = 0;            // 0: the cores this process may use
};
inline constexpr int kEngineAbi = 1;

/// The one symbol of libremat_engine.so: makes the backend, which the caller owns. Null with a sentence in `why` (static
/// storage) where it cannot.
using CreateEngine = TrainingBackend *(*)(const EngineOptions *options, const char **why);
inline constexpr const char *kCreateEngineSymbol = "remat_engine_create";

} // namespace remat::core
