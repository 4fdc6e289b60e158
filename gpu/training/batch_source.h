// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/workload.h"

namespace remat::gpu {

/// Token ids and targets of one step, made once and filled again for every step: [batch, seq] of 64-bit integers for each
/// micro-batch. Random tokens, or windows of a file read as bytes; both depend on seed, step and micro-batch alone.
class BatchSource
{
public:
    /// Errors: the data file cannot be read or is shorter than one sequence.
    [[nodiscard]] static core::Result<BatchSource> open(const core::Workload &workload, std::int64_t vocabulary,
                                                        c10::Device device);

    void fill(std::int64_t step);
    [[nodiscard]] const at::Tensor &tokens(int microBatch) const
    {
        return m_tokens[static_cast<std::size_t>(microBatch)];
    }
    [[nodiscard]] const at::Tensor &targets(int microBatch) const
    {
        return m_targets[static_cast<std::size_t>(microBatch)];
    }

private:
    BatchSource(const core::Workload &workload, std::int64_t vocabulary, std::string text, c10::Device device);

    core::Workload m_workload;
    std::int64_t m_vocabulary;
    std::string m_text;
    std::vector<at::Tensor> m_tokens, m_targets;
};

} // namespace remat::gpu
