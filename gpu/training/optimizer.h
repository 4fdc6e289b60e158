// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "model/workload.h"

namespace remat::gpu {

/// AdamW (Loshchilov and Hutter, arXiv 1711.05101), fused or operator by operator, or SGD, over the trained parameters.
/// The state is made at the first update. Used from the executor's thread.
class Optimizer
{
public:
    Optimizer(const core::Workload &workload, std::vector<at::Tensor> parameters, const at::Tensor &lossGradient);

    /// Divides the gradients by the loss scale (fp16 kinds only) and notes whether one of them is not finite.
    void unscale();
    /// Scales the gradients so that their global norm is at most the workload's `clip`.
    void clip();

    /// Makes the state where there is none yet: moments and steps. All or nothing.
    void createState();
    /// Updates every parameter; the state must exist. With a gradient that is not finite nothing is updated; the loss
    /// scale follows (halved then, doubled after 2,000 good steps).
    void step();
    /// Updates one parameter in the middle of a backward and drops its gradient; the state must exist.
    void updateAlone(std::size_t parameter);

    void reset();
    [[nodiscard]] std::vector<at::Tensor> state() const;
    [[nodiscard]] const std::vector<at::Tensor> &parameters() const { return m_parameters; }
    [[nodiscard]] bool skippedLast() const { return m_skippedLast; }

private:
    [[nodiscard]] bool hasScale() const { return m_scale.defined(); }
    [[nodiscard]] std::vector<at::Tensor> zerosLikeParameters() const;
    void adamw(std::size_t parameter);

    core::Workload m_workload;
    std::vector<at::Tensor> m_parameters;
    std::vector<at::Tensor> m_first, m_second, m_steps;
    at::Tensor m_scale; // of the loss; the tensor that is the loss's own gradient
    at::Tensor m_growth, m_foundInf;
    bool m_hasState = false;
    bool m_isFirstStep = true;
    bool m_skippedLast = false;
};

} // namespace remat::gpu
