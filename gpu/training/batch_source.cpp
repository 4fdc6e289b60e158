// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/batch_source.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <fstream>
#include <iterator>
#include <random>

namespace remat::gpu {

core::Result<BatchSource> BatchSource::open(const core::Workload &workload, std::int64_t vocabulary, c10::Device device)
{
    if (workload.data == "random")
        return BatchSource(workload, vocabulary, {}, device);
    std::ifstream file(workload.data, std::ios::binary);
    if (!file)
        return core::Error{core::ErrorCode::refused,
                           "The data file '" + workload.data + "' cannot be read; check its path."};
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (static_cast<std::int64_t>(text.size()) < workload.seq + 1)
        return core::Error{core::ErrorCode::refused,
                           "The data file '" + workload.data + "' has " + std::to_string(text.size())
                               + " bytes, but one sequence needs " + std::to_string(workload.seq + 1)
                               + "; use a longer file or a smaller --seq."};
    return BatchSource(workload, vocabulary, std::move(text), device);
}

BatchSource::BatchSource(const core::Workload &workload, std::int64_t vocabulary, std::string text, c10::Device device)
    : m_workload(workload), m_vocabulary(vocabulary), m_text(std::move(text))
{
    const auto options = at::TensorOptions().device(device).dtype(at::kLong);
    for (int i = 0; i < workload.microBatches; ++i) {
        m_tokens.push_back(at::empty({workload.batch, workload.seq}, options));
        m_targets.push_back(at::empty({workload.batch, workload.seq}, options));
    }
}

void BatchSource::fill(std::int64_t step)
{
    const auto rowLength = static_cast<std::size_t>(m_workload.seq);
    const auto rowCount = static_cast<std::size_t>(m_workload.batch);
    std::vector<std::int64_t> tokens(rowLength * rowCount);
    std::vector<std::int64_t> targets(rowLength * rowCount);
    for (std::size_t microBatch = 0; microBatch < m_tokens.size(); ++microBatch) {
        // Not LibTorch's generators: they belong to the step's dropout.
        std::seed_seq seeds{m_workload.seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(microBatch)};
        std::mt19937_64 random(seeds);
        std::vector<std::int64_t> row(rowLength + 1);
        for (std::size_t r = 0; r < rowCount; ++r) {
            const std::size_t start = m_text.empty() ? 0 : random() % (m_text.size() - rowLength);
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] = m_text.empty() ? static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m_vocabulary))
                                        : static_cast<unsigned char>(m_text[start + i]);
            std::copy(row.begin(), row.end() - 1, tokens.begin() + static_cast<std::ptrdiff_t>(r * rowLength));
            std::copy(row.begin() + 1, row.end(), targets.begin() + static_cast<std::ptrdiff_t>(r * rowLength));
        }
        const at::IntArrayRef shape = m_tokens[microBatch].sizes();
        m_tokens[microBatch].copy_(at::from_blob(tokens.data(), shape, at::TensorOptions().dtype(at::kLong)));
        m_targets[microBatch].copy_(at::from_blob(targets.data(), shape, at::TensorOptions().dtype(at::kLong)));
    }
}

} // namespace remat::gpu
