// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/soak.h"

#include <fstream>

#include <unistd.h>

#include "memory/cpu_account.h"

namespace remat::tests {

namespace {

Footprint footprint()
{
    std::ifstream file("/proc/self/statm");
    core::Bytes size = 0;
    core::Bytes pages = 0;
    file >> size >> pages;
    return {gpu::CpuAccount::instance().held(), pages * sysconf(_SC_PAGESIZE)};
}

} // namespace

Soak soak(int runs, const std::function<void(int run)> &work)
{
    Soak result;
    for (int run = 1; run <= runs; ++run) {
        work(run);
        if (run == runs / 10)
            result.early = footprint();
    }
    result.late = footprint();
    return result;
}

} // namespace remat::tests
