// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "engine_library.h"

#include <array>
#include <cstdlib>

#include <dlfcn.h>
#include <unistd.h>

#include "measure/engine_entry.h"

namespace remat::app {

namespace {

std::string enginePath()
{
    if (const char *path = std::getenv("REMAT_ENGINE"); path != nullptr && *path != '\0')
        return path;
    const std::string program = programPath();
    const std::string folder = program.substr(0, program.rfind('/'));
    for (const char *place :
         {"/../lib/libremat_engine.so", "/../lib/rematscope/libremat_engine.so", "/libremat_engine.so"}) {
        const std::string path = folder + place;
        if (access(path.c_str(), R_OK) == 0)
            return path;
    }
    return {};
}

core::Error cannotOpen(const std::string &why)
{
    return {core::ErrorCode::failed,
            "The engine that runs models cannot be used (" + why
                + "); install LibTorch with `packaging/bootstrap.sh sdk` and build again."};
}

} // namespace

std::string programPath()
{
    std::array<char, 4096> path{};
    const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string("remat");
}

core::Result<std::unique_ptr<core::TrainingBackend>> openEngine(const std::string &device, int threads)
{
    const std::string path = enginePath();
    if (path.empty())
        return cannotOpen("libremat_engine.so was not found beside the program");
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char *reason = dlerror();
        return cannotOpen(reason != nullptr ? reason : path);
    }
    const auto create = reinterpret_cast<core::CreateEngine>(dlsym(library, core::kCreateEngineSymbol));
    if (create == nullptr)
        return cannotOpen(path + " is no engine of this program");
    core::EngineOptions options;
    options.abi = core::kEngineAbi;
    options.device = device.c_str();
    options.threads = threads;
    const char *why = nullptr;
    std::unique_ptr<core::TrainingBackend> backend(create(&options, &why));
    if (backend == nullptr)
        return cannotOpen(why != nullptr ? why : "it gave no reason");
    return backend;
}

} // namespace remat::app
