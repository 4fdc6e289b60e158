// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <cstdlib>
#include <thread>

#include "memory/operator_names.h"
#include "torch_guard.h"
#include "training/torch_workload.h"

namespace remat::gpu {

namespace {

/// The attention kernel by the operator that ran last; empty: explicit products, or nothing was recorded yet.
std::string kernelThatRan()
{
    const std::string name = attentionOperator();
    for (const auto &[part, kernel] :
         {std::pair{"flash", "flash"}, {"efficient", "memory-efficient"}, {"cudnn", "cuDNN"}, {"math", "math"}})
        if (name.find(part) != std::string::npos)
            return kernel;
    return name;
}

} // namespace

/// LibTorch falls back to its math kernel without a word; this is the word.
std::string TorchWorkload::whyOtherKernel(const std::string &kernel) const
{
    if (m_workload.attention != core::AttentionKernel::sdpa || kernel != "math")
        return {};
    if (m_workload.attentionDropout > 0 && m_parts.device().is_cpu())
        return "attention dropout: the fused kernel of the CPU has none, so the math kernel ran";
    return "no fused kernel takes heads of size " + std::to_string(m_config.headSize)
        + " with these masks and types, so the math kernel ran";
}

core::Environment TorchWorkload::environment() const
{
    core::Environment environment;
    environment.cpu = cpuName();
    environment.cores = static_cast<int>(std::thread::hardware_concurrency());
    environment.threads = at::get_num_threads();
    environment.memoryBytes = physicalMemory();
    environment.os = osName();
    environment.libtorch = TORCH_VERSION;
    const Guarded named = guarded([&] {
        environment.budgetKind = m_parts.recorder().budgetKind();
        environment.budgetBytes = m_parts.recorder().budget();
        environment.deviceName = m_parts.info().name;
        m_parts.describe(environment);
        environment.attentionKernel = m_model->attentionKernel();
    });
    if (named.end != Guarded::End::done)
        environment.attentionKernel = "unknown";
    if (const std::string ran = kernelThatRan(); !ran.empty())
        environment.attentionKernel = ran;
    environment.attentionWhy = whyOtherKernel(environment.attentionKernel);
    if (const char *settings = std::getenv("PYTORCH_CUDA_ALLOC_CONF"); settings && !m_parts.device().is_cpu())
        environment.allocator = settings;
    static const char *const precisions[] = {"highest", "high", "medium"};
    environment.matmulPrecision = precisions[static_cast<std::size_t>(at::globalContext().float32MatmulPrecision())];
    return environment;
}

core::MemoryPressure TorchWorkload::pressure() const
{
    core::MemoryPressure pressure;
    const Guarded read = guarded([&] { pressure = m_parts.pressure(); });
    return read.end == Guarded::End::done ? pressure : core::MemoryPressure();
}

} // namespace remat::gpu
