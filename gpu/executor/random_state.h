// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <variant>

#include <ATen/core/MT19937RNGEngine.h>
#include <c10/core/Device.h>

#include <optional>

#include "torch_version.h"

namespace remat::gpu {

/// A random generator's state by value, so that keeping it costs no tensor: 2.5 kB of heap on the CPU, two numbers on a
/// CUDA device. Generators are process-wide: nothing else may draw during a step.
class RandomState
{
public:
    /// The current state of the default generator of `device`.
    [[nodiscard]] static RandomState of(c10::Device device);
    void restore(c10::Device device) const;

private:
    struct Cpu
    {
        at::mt19937 engine;
        std::optional<float> nextFloat;
        std::optional<double> nextDouble;
    };
    struct Device
    {
        std::uint64_t seed = 0;
        std::uint64_t offset = 0;
    };
    std::variant<Cpu, Device> m_state;
};

/// Sets the default generator of `device` to a seed.
void seedGenerator(c10::Device device, std::uint64_t seed);

} // namespace remat::gpu
