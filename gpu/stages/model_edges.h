// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "model/workload.h"
#include "stages/norm.h"
#include "stages/parameter_store.h"
#include "stages/projection.h"

namespace remat::gpu {

/// The first stage: from token ids [batch, seq], or images [batch, channels, height, width], to the first boundary.
class EmbeddingStage
{
public:
    EmbeddingStage(const core::ModelConfig &model, const core::Workload &workload, const ParameterStore &parameters,
                   c10::Device device);
    [[nodiscard]] at::Tensor run(const at::Tensor &input) const;
    [[nodiscard]] std::vector<at::Tensor> constants() const { return {m_positions, m_sinusoids}; }

private:
    [[nodiscard]] at::Tensor embedTokens(const at::Tensor &tokens) const;
    [[nodiscard]] at::Tensor embedPatches(const at::Tensor &images) const;

    at::Tensor m_tokens, m_positionTable, m_types, m_classToken;
    at::Tensor m_positions; // row numbers of the position table
    at::Tensor m_sinusoids;
    Projection m_patches;
    Norm m_norm;
    at::ScalarType m_type;
    double m_scale;
    double m_dropout;
    std::int64_t m_patchSize;
};

/// The last stage (final norm, transform or pooler) and the loss of the head behind it.
class HeadStage
{
public:
    HeadStage(const core::ModelConfig &model, const core::Workload &workload, const ParameterStore &parameters,
              const at::Tensor &tick);

    [[nodiscard]] at::Tensor runFinal(const at::Tensor &input) const;
    /// Mean cross entropy over the targets that count (-100 does not), in fp32. `targets`: [batch, seq] or [batch].
    [[nodiscard]] at::Tensor loss(const at::Tensor &input, const at::Tensor &targets) const;
    [[nodiscard]] bool drawsRandomNumbers() const { return m_head == core::HeadKind::sequence && m_dropout > 0; }

private:
    [[nodiscard]] at::Tensor logits(const at::Tensor &input) const;

    core::HeadKind m_head;
    core::Activation m_activation;
    Norm m_final, m_transformNorm;
    Projection m_transform, m_output;
    at::Tensor m_tick;
    double m_softcap;
    double m_scale;
    double m_dropout;
    int m_chunks;
};

/// Name to norm: weights from the store, sizes and kind from the model. Does not exist where `present` is false.
[[nodiscard]] Norm normOf(const core::ModelConfig &model, const ParameterStore &parameters, const std::string &name,
                          bool present, std::int64_t size);
[[nodiscard]] Projection projectionOf(const ParameterStore &parameters, const std::string &name);

} // namespace remat::gpu
