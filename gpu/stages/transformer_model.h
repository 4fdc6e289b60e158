// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "executor/schedule_executor.h"
#include "stages/attention_core.h"
#include "stages/lean_feed_forward.h"
#include "stages/parameter_store.h"

namespace remat::gpu {

/// A decoder of any of the families, as stages on tensors: the one implementation of StageProvider outside tests.
/// Constants (rotary table, mask, scalars) are made here, once. Used from the executor's thread.
class TransformerModel final : public StageProvider
{
public:
    TransformerModel(const core::ModelConfig &model, const core::Workload &workload, const ParameterStore &parameters,
                     c10::Device device);

    /// The targets that the next runLoss compares with, [batch, seq]; `microBatch` numbers the slot of its loss.
    void setTargets(const at::Tensor &targets, int microBatch);

    [[nodiscard]] at::Tensor runStage(int stage, const at::Tensor &input, const std::string &option,
                                      bool noOutput) override;
    [[nodiscard]] at::Tensor runLoss(const at::Tensor &input) override;
    void keepLoss(const at::Tensor &loss) override;
    [[nodiscard]] bool drawsRandomNumbers(int stage) const override;

    /// Sum of the micro-batches' losses, which are already divided by their number.
    [[nodiscard]] double lastLoss() const;
    [[nodiscard]] const at::Tensor &tick() const { return m_tick; }
    [[nodiscard]] const at::Tensor &one() const { return m_one; }
    [[nodiscard]] std::string attentionKernel() const;
    /// Tensors that are neither parameters nor batch; some may be undefined.
    [[nodiscard]] std::vector<at::Tensor> constants() const;

private:
    struct Norm
    {
        at::Tensor weight;
        at::Tensor bias;
    };
    struct Block
    {
        Norm attentionNorm, feedForwardNorm;
        at::Tensor qkvWeight, qkvBias, queryNorm, keyNorm;
        Tail attentionTail;
        FeedForward feedForward;
    };

    [[nodiscard]] Block blockOf(const ParameterStore &parameters, int layer) const;
    [[nodiscard]] at::Tensor normalise(const at::Tensor &x, const Norm &norm) const;
    [[nodiscard]] at::Tensor embed(const at::Tensor &tokens) const;
    [[nodiscard]] at::Tensor attentionHalf(const Block &block, const at::Tensor &x, bool noOutput) const;
    [[nodiscard]] at::Tensor feedForwardHalf(const Block &block, const at::Tensor &x, const std::string &option,
                                             bool noOutput) const;

    core::ModelConfig m_model;
    core::Workload m_workload;
    c10::Device m_device;
    at::Tensor m_tokenTable, m_positionTable, m_positions, m_headWeight, m_headBias;
    Norm m_finalNorm;
    std::vector<Block> m_blocks;
    AttentionSettings m_attention;
    RotaryTable m_rotary;
    at::Tensor m_tick, m_one, m_cell, m_losses;
    at::Tensor m_targets;
    int m_microBatch = 0;
};

/// Option ids that the model's stages know beside keep_all.
inline constexpr const char *kLeanMlp = "lean_mlp";

} // namespace remat::gpu
