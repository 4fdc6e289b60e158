// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "training/torch_workload.h"

namespace remat::tests {

/// One micro-batch after the other as one plain autograd graph over LibTorch's own operators, written without the
/// stages under test. Gradients land in the parameters, the sum of the losses is returned. The generator is seeded as a
/// proof seeds it.
[[nodiscard]] double nativeForwardBackward(const core::ModelConfig &model, const core::Workload &workload,
                                           gpu::TorchWorkload &prepared);

} // namespace remat::tests
