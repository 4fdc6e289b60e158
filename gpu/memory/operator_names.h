// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace remat::gpu {

/// Names of the operators that run on this thread: the outermost one counts, the engine's own frames do not. `changed`
/// hears the index of the name that is current from now on; 0 is "no operator". Returns a handle for stopNaming.
[[nodiscard]] std::uint64_t startNaming(std::function<void(std::uint16_t)> changed);
void stopNaming(std::uint64_t handle);

/// The fused attention operator that ran last while names were taken, without its prefix, such as
/// "flash_attention_for_cpu"; empty: none did.
[[nodiscard]] std::string attentionOperator();

/// All names met so far in this process; index 0 is empty.
[[nodiscard]] std::vector<std::string> operatorNames();

} // namespace remat::gpu
