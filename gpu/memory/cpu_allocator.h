// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "memory/cpu_account.h"

namespace remat::gpu {

/// Puts the recording allocator in front of LibTorch's own CPU allocator, once a process, before any tensor exists.
/// Blocks carry a 64-byte header, so that no table and no lock is needed. Over budget, or out of real memory, it throws
/// c10::OutOfMemoryError.
void installCpuAllocator();

/// The header of the block that a tensor's storage points to, null where the block is not ours. `data` is the start of
/// the storage and `deleter` its release function.
[[nodiscard]] BlockHeader *headerOf(const void *data);

/// Whether a storage was made by the recording allocator.
[[nodiscard]] bool isOurDeleter(void (*deleter)(void *));

} // namespace remat::gpu
