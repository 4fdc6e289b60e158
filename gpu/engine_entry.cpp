// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/engine_entry.h"

#include <exception>
#include <string>

#include "torch_backend.h"

/// See core::CreateEngine.
extern "C" __attribute__((visibility("default"))) remat::core::TrainingBackend *
remat_engine_create(const remat::core::EngineOptions *options, const char **why)
{
    static std::string reason;
    try {
        if (options && options->abi == remat::core::kEngineAbi)
            return remat::gpu::makeTorchBackend(*options).release();
        reason = "libremat_engine.so belongs to another version of this program; install both from one build";
    } catch (const std::exception &error) {
        reason = error.what();
    }
    if (why)
        *why = reason.c_str();
    return nullptr;
}
