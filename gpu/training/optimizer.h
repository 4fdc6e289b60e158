// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "model/workload.h"

namespace remat::gpu {

/// AdamW (fused; Loshchilov and Hutter, arXiv 1711.05101) or SGD over all parameters. The state is made at the
/// first update. Used from the executor's thread.
class Optimizer
{
public:
    Optimizer(const core::Workload &workload, std::vector<at::Tensor> parameters);

    /// Scales the gradients so that their global norm is at most the workload's `clip`.
    void clip();

    /// Makes the state where there is none yet: moments and steps. All or nothing.
    void createState();
    /// Updates every parameter; the state must exist.
    void step();
    void reset();
    [[nodiscard]] std::vector<at::Tensor> state() const;

private:
    [[nodiscard]] std::vector<at::Tensor> zerosLikeParameters() const;

    core::Workload m_workload;
    std::vector<at::Tensor> m_parameters;
    std::vector<at::Tensor> m_first, m_second, m_steps;
    bool m_hasState = false;
    bool m_isFirstStep = true;
};

/// Bytes of optimizer state: `elements` parameters in `tensors` tensors of `elementSize` bytes.
[[nodiscard]] core::Bytes optimizerStateBytes(const core::Workload &workload, std::int64_t elements,
                                              std::int64_t tensors, std::int64_t elementSize);

} // namespace remat::gpu
