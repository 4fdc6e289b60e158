// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "torch_backend.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <map>
#include <string_view>
#include <thread>

#include "cuda_loader.h"
#include "memory/cpu_allocator.h"
#include "torch_guard.h"
#include "training/cost_probe.h"
#include "training/torch_workload.h"

namespace remat::gpu {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

/// "cuda:2" → 2; -1 for anything else.
int cudaIndex(std::string_view device)
{
    if (!device.starts_with("cuda:") || device.size() < 6 || device.size() > 8)
        return -1;
    int index = 0;
    for (const char c : device.substr(5)) {
        if (c < '0' || c > '9')
            return -1;
        index = 10 * index + (c - '0');
    }
    return index;
}

class TorchBackend final : public core::TrainingBackend
{
public:
    explicit TorchBackend(const core::EngineOptions &options)
    {
        installCpuAllocator();
        CpuAccount::enterExecutorThread();
        if (std::string_view(options.device) != "cpu")
            m_cuda = loadCuda(m_whyNoCuda);
        else
            m_whyNoCuda = "it was not asked for when the engine was opened";
        if (options.threads > 0)
            at::set_num_threads(options.threads);
    }

    std::vector<core::DeviceInfo> devices() override
    {
        std::vector<core::DeviceInfo> list = {cpu().info()};
        if (m_cuda) {
            std::vector<core::DeviceInfo> found;
            if (const auto asked = guardedResult("Asking for CUDA's devices", [&] { found = m_cuda->devices(); });
                !asked) {
                found.resize(1);
                found.front().id = "cuda";
                found.front().name = "CUDA";
                found.front().why = asked.error().message;
            }
            list.insert(list.end(), found.begin(), found.end());
        } else {
            core::DeviceInfo none;
            none.id = "cuda";
            none.name = "CUDA";
            none.why = "CUDA cannot be used: " + m_whyNoCuda + ".";
            list.push_back(std::move(none));
        }
        return list;
    }

    Result<core::ChainCosts> probe(const core::ModelConfig &model, const core::Workload &workload,
                                   const std::vector<std::string> &options, std::stop_token stop) override
    {
        auto parts = partsFor(workload);
        if (!parts)
            return parts.error();
        return probeCosts(model, workload, options, **parts, std::move(stop));
    }

    Result<std::unique_ptr<core::PreparedWorkload>> prepare(const core::ModelConfig &model,
                                                            const core::Workload &workload) override
    {
        auto parts = partsFor(workload);
        if (!parts)
            return parts.error();
        auto made = TorchWorkload::make(model, workload, **parts);
        if (!made)
            return made.error();
        return std::unique_ptr<core::PreparedWorkload>(std::move(*made));
    }

private:
    DeviceParts &cpu()
    {
        if (!m_parts["cpu"])
            m_parts["cpu"] = cpuParts();
        return *m_parts["cpu"];
    }

    Result<DeviceParts *> partsFor(const core::Workload &workload)
    {
        if (workload.threads > 0)
            at::set_num_threads(workload.threads);
        if (workload.device == "cpu")
            return &cpu();
        const int index = cudaIndex(workload.device);
        if (index < 0)
            return Error{ErrorCode::usage, "'" + workload.device + "' is no device; use cpu or cuda:0, cuda:1, …"};
        if (!m_cuda)
            return Error{ErrorCode::refused,
                         "The device '" + workload.device + "' cannot be used: " + m_whyNoCuda
                             + "; use --device cpu, or see 'remat devices'."};
        auto &parts = m_parts[workload.device];
        if (!parts) {
            auto opened = guardedResult("The device '" + workload.device + "'", [&] { parts = m_cuda->parts(index); });
            if (!opened)
                return opened.error();
        }
        return parts.get();
    }

    CudaPlugin *m_cuda = nullptr;
    std::string m_whyNoCuda;
    std::map<std::string, std::unique_ptr<DeviceParts>> m_parts;
};

} // namespace

std::unique_ptr<core::TrainingBackend> makeTorchBackend(const core::EngineOptions &options)
{
    return std::make_unique<TorchBackend>(options);
}

} // namespace remat::gpu
