// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device_parts.h"

namespace remat::gpu {

/// What the CUDA plug-in offers; implemented in libremat_cuda.so.
class CudaPlugin
{
public:
    virtual ~CudaPlugin() = default;
    [[nodiscard]] virtual std::vector<core::DeviceInfo> devices() = 0;
    /// Parts of device `index`, owned by the caller. Throws what LibTorch throws.
    [[nodiscard]] virtual std::unique_ptr<DeviceParts> parts(int index) = 0;
};
using CreateCudaPlugin = CudaPlugin *(*)();
inline constexpr const char *kCreateCudaPluginSymbol = "remat_cuda_create";

/// Opens libtorch_cuda.so and the plug-in, once a process, and only where a driver is present. Must come before the
/// first call into LibTorch that caches its hooks. Null with a sentence in `why` where it cannot.
[[nodiscard]] CudaPlugin *loadCuda(std::string &why);

} // namespace remat::gpu
