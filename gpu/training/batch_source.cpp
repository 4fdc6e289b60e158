// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/batch_source.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "stages/parameter_store.h"

namespace remat::gpu {

using core::HeadKind;

namespace {

constexpr double kCoveredShare = 0.15;     // BERT, arXiv 1810.04805, section 3.1
constexpr std::int64_t kMaskToken = 103;   // [MASK] of BERT's vocabulary; which id it is changes no byte
constexpr std::int64_t kNotATarget = -100; // what cross entropy leaves out

void copyIn(const at::Tensor &target, const std::vector<std::int64_t> &values)
{
    const auto options = at::TensorOptions().dtype(at::kLong);
    target.copy_(
        at::from_blob(const_cast<std::int64_t *>(values.data()), target.sizes(), options)); // NOLINT: only read
}

} // namespace

core::Result<BatchSource> BatchSource::open(const core::Workload &workload, const core::ModelConfig &model,
                                            c10::Device device)
{
    if (workload.data == "random")
        return BatchSource(workload, model, {}, device);
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
    return BatchSource(workload, model, std::move(text), device);
}

BatchSource::BatchSource(const core::Workload &workload, const core::ModelConfig &model, std::string text,
                         c10::Device device)
    : m_workload(workload),
      m_head(model.head),
      m_vocabulary(model.vocabulary),
      m_classes(model.classes),
      m_text(std::move(text))
{
    const auto options = at::TensorOptions().device(device).dtype(at::kLong);
    const bool perToken = m_head == HeadKind::causal || m_head == HeadKind::masked;
    const auto patches = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(workload.seq - 1))));
    const std::int64_t side = patches * model.patchSize;
    for (int i = 0; i < workload.microBatches; ++i) {
        if (m_head == HeadKind::image)
            m_inputs.push_back(
                at::empty({workload.batch, model.channels, side, side}, options.dtype(computeType(workload.dtype))));
        else
            m_inputs.push_back(at::empty({workload.batch, workload.seq}, options));
        m_targets.push_back(perToken ? at::empty({workload.batch, workload.seq}, options)
                                     : at::empty({workload.batch}, options));
    }
}

void BatchSource::fill(std::int64_t step)
{
    for (std::size_t microBatch = 0; microBatch < m_inputs.size(); ++microBatch) {
        // Not LibTorch's generators: they belong to the step's dropout.
        std::seed_seq seeds{m_workload.seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(microBatch)};
        Random random(seeds);
        if (m_head == HeadKind::image)
            fillImages(microBatch, random);
        else
            fillTokens(microBatch, random);
    }
}

std::vector<std::int64_t> BatchSource::row(std::size_t length, Random &random) const
{
    std::vector<std::int64_t> row(length);
    const std::size_t start = m_text.empty() ? 0 : random() % (m_text.size() - length + 1);
    for (std::size_t i = 0; i < length; ++i)
        row[i] = m_text.empty() ? static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m_vocabulary))
                                : static_cast<unsigned char>(m_text[start + i]);
    return row;
}

/// The same number of tokens in every row, so that the loss's share per token is the same in every step.
void BatchSource::cover(std::vector<std::int64_t> &tokens, std::vector<std::int64_t> &targets, Random &random) const
{
    targets.assign(tokens.size(), kNotATarget);
    const auto wanted
        = static_cast<std::size_t>(std::max(1.0, std::round(kCoveredShare * static_cast<double>(tokens.size()))));
    for (std::size_t covered = 0; covered < wanted;) {
        const std::size_t at = random() % tokens.size();
        if (targets[at] != kNotATarget)
            continue;
        targets[at] = tokens[at];
        tokens[at] = std::min(kMaskToken, m_vocabulary - 1);
        ++covered;
    }
}

std::vector<std::int64_t> BatchSource::classes(Random &random) const
{
    std::vector<std::int64_t> classes(static_cast<std::size_t>(m_workload.batch));
    for (std::int64_t &one : classes)
        one = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m_classes));
    return classes;
}

void BatchSource::fillTokens(std::size_t microBatch, Random &random)
{
    const auto length = static_cast<std::size_t>(m_workload.seq);
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> targets;
    for (std::int64_t r = 0; r < m_workload.batch; ++r) {
        std::vector<std::int64_t> inputs = row(length + 1, random);
        std::vector<std::int64_t> wanted(inputs.begin() + 1, inputs.end());
        inputs.pop_back();
        if (m_head == HeadKind::masked)
            cover(inputs, wanted, random);
        tokens.insert(tokens.end(), inputs.begin(), inputs.end());
        targets.insert(targets.end(), wanted.begin(), wanted.end());
    }
    copyIn(m_inputs[microBatch], tokens);
    copyIn(m_targets[microBatch], m_head == HeadKind::sequence ? classes(random) : targets);
}

void BatchSource::fillImages(std::size_t microBatch, Random &random)
{
    const at::Tensor &images = m_inputs[microBatch];
    std::vector<float> values(static_cast<std::size_t>(images.numel()));
    std::uniform_real_distribution<float> pixel(-1.0F, 1.0F);
    for (float &value : values)
        value = pixel(random);
    images.copy_(at::from_blob(values.data(), images.sizes(), at::TensorOptions().dtype(at::kFloat)));
    copyIn(m_targets[microBatch], classes(random));
}

} // namespace remat::gpu
