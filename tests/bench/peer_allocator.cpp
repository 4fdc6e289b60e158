// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "memory/cpu_allocator.h"

// What peer_checkpoint.py calls through ctypes, all on the thread that trains.

#define REMAT_EXPORT extern "C" __attribute__((visibility("default")))

REMAT_EXPORT void remat_peer_install()
{
    remat::gpu::installCpuAllocator();
    remat::gpu::CpuAccount::enterExecutorThread();
}

REMAT_EXPORT std::int64_t remat_peer_held()
{
    return remat::gpu::CpuAccount::instance().held();
}

REMAT_EXPORT void remat_peer_reset_peak()
{
    remat::gpu::CpuAccount::instance().startRecording(nullptr);
}

REMAT_EXPORT std::int64_t remat_peer_peak()
{
    return remat::gpu::CpuAccount::instance().peak();
}
