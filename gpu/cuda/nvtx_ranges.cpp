// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/nvtx_ranges.h"

#include <torch/csrc/profiler/stubs/base.h>

namespace remat::gpu {

using torch::profiler::impl::cudaStubs;

bool NvtxRanges::available()
{
    return cudaStubs()->enabled();
}

void NvtxRanges::push(const std::string &name)
{
    cudaStubs()->rangePush(name.c_str());
}

void NvtxRanges::pop()
{
    cudaStubs()->rangePop();
}

} // namespace remat::gpu
