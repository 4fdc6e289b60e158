// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_loader.h"

#include <dlfcn.h>

#include <filesystem>

#include <c10/core/CPUAllocator.h>

namespace remat::gpu {

namespace {

/// The folder of the library that holds `symbol`.
std::filesystem::path folderOf(const void *symbol)
{
    Dl_info info{};
    if (dladdr(symbol, &info) == 0 || !info.dli_fname)
        return {};
    return std::filesystem::path(info.dli_fname).parent_path();
}

bool driverIsPresent()
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver)
        dlclose(driver);
    return driver != nullptr;
}

CudaPlugin *open(std::string &why)
{
    if (!driverIsPresent()) {
        why = "no NVIDIA driver was found (libcuda.so.1)";
        return nullptr;
    }
    const auto torchFolder = folderOf(reinterpret_cast<const void *>(&c10::GetCPUAllocator));
    const auto ownFolder = folderOf(reinterpret_cast<const void *>(&loadCuda));
    for (const auto &[path, mode] : {std::pair{torchFolder / "libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL},
                                     std::pair{ownFolder / "libremat_cuda.so", RTLD_NOW | RTLD_LOCAL}}) {
        void *library = dlopen(path.c_str(), mode);
        if (!library) {
            const char *reason = dlerror();
            why = reason ? reason : path.string() + " cannot be opened";
            return nullptr;
        }
        if (path.filename() == "libremat_cuda.so")
            if (auto create = reinterpret_cast<CreateCudaPlugin>(dlsym(library, kCreateCudaPluginSymbol)))
                return create();
    }
    why = "libremat_cuda.so is not the plug-in of this version";
    return nullptr;
}

} // namespace

CudaPlugin *loadCuda(std::string &why)
{
    static std::string reason;
    static CudaPlugin *plugin = open(reason);
    why = reason;
    return plugin;
}

} // namespace remat::gpu
