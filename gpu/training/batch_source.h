// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <random>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/workload.h"

namespace remat::gpu {

/// Inputs and targets of one step, made once and filled again for every step; what they are follows from the head:
/// causal: token ids [batch, seq] and the next ones; masked: ids of which 15 % are covered, and what was there (elsewhere
/// -100); sequence: ids and a class each; image: numbers [batch, channels, side, side] and a class each. Random, or windows
/// of a file read as bytes; both depend on seed, step and micro-batch alone.
class BatchSource
{
public:
    /// Errors: the data file cannot be read or is shorter than one sequence.
    [[nodiscard]] static core::Result<BatchSource> open(const core::Workload &workload, const core::ModelConfig &model,
                                                        c10::Device device);

    void fill(std::int64_t step);
    [[nodiscard]] const at::Tensor &inputs(int microBatch) const
    {
        return m_inputs[static_cast<std::size_t>(microBatch)];
    }
    [[nodiscard]] const at::Tensor &targets(int microBatch) const
    {
        return m_targets[static_cast<std::size_t>(microBatch)];
    }

private:
    using Random = std::mt19937_64;

    BatchSource(const core::Workload &workload, const core::ModelConfig &model, std::string text, c10::Device device);
    void fillTokens(std::size_t microBatch, Random &random);
    void fillImages(std::size_t microBatch, Random &random);
    [[nodiscard]] std::vector<std::int64_t> row(std::size_t length, Random &random) const;
    void cover(std::vector<std::int64_t> &tokens, std::vector<std::int64_t> &targets, Random &random) const;
    [[nodiscard]] std::vector<std::int64_t> classes(Random &random) const;

    core::Workload m_workload;
    core::HeadKind m_head;
    std::int64_t m_vocabulary;
    std::int64_t m_classes;
    std::string m_text;
    std::vector<at::Tensor> m_inputs, m_targets;
};

} // namespace remat::gpu
