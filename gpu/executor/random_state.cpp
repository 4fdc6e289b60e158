// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "executor/random_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>

namespace remat::gpu {

RandomState RandomState::of(c10::Device device)
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::scoped_lock lock(generator.mutex());
    RandomState result;
    if (device.is_cpu()) {
        auto *cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
        result.m_state = Cpu{cpu->engine(), cpu->next_float_normal_sample(), cpu->next_double_normal_sample()};
    } else {
        result.m_state = Device{generator.current_seed(), generator.get_offset()};
    }
    return result;
}

void RandomState::restore(c10::Device device) const
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::scoped_lock lock(generator.mutex());
    if (const Cpu *state = std::get_if<Cpu>(&m_state)) {
        auto *cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
        cpu->set_engine(state->engine);
        cpu->set_next_float_normal_sample(state->nextFloat);
        cpu->set_next_double_normal_sample(state->nextDouble);
        return;
    }
    const Device &state = std::get<Device>(m_state);
    generator.set_current_seed(state.seed); // zeroes the offset, so the offset comes second
    generator.set_offset(state.offset);
}

void seedGenerator(c10::Device device, std::uint64_t seed)
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
}

} // namespace remat::gpu
