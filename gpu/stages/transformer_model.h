// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <vector>

#include "executor/schedule_executor.h"
#include "stages/block.h"
#include "stages/model_edges.h"
#include "stages/parameter_store.h"

namespace remat::gpu {

/// A Transformer of any of the families, as stages on tensors: the one implementation of StageProvider outside tests.
/// Constants (rotary tables, masks, scalars) are made here, once. Used from the executor's thread.
class TransformerModel final : public StageProvider
{
public:
    TransformerModel(const core::ModelConfig &model, const core::Workload &workload, const ParameterStore &parameters,
                     c10::Device device);

    /// The targets that the next runLoss compares with; `microBatch` numbers the slot of its loss.
    void setTargets(const at::Tensor &targets, int microBatch);
    /// Forgets every router's choice, after a step that failed.
    void forgetAll() { m_choices.clear(); }
    /// Router choices for the stages, to be replayed from the next first forward on; empty: the routers choose. For tests.
    void replayChoices(std::map<int, RouterChoice> choices) { m_replayed = std::move(choices); }
    [[nodiscard]] const std::map<int, RouterChoice> &choices() const { return m_choices; }

    [[nodiscard]] at::Tensor runStage(int stage, const at::Tensor &input, const std::string &option,
                                      bool noOutput) override;
    [[nodiscard]] at::Tensor runLoss(const at::Tensor &input) override;
    void keepLoss(const at::Tensor &loss) override;
    [[nodiscard]] bool drawsRandomNumbers(int stage) const override;
    void forget(int stage) override { m_choices.erase(stage); }

    /// Sum of the micro-batches' losses, which are already divided by their number.
    [[nodiscard]] double lastLoss() const;
    [[nodiscard]] const at::Tensor &tick() const { return m_permanent.tick; }
    /// The gradient that the loss starts with: 1, or the loss scale.
    [[nodiscard]] at::Tensor &one() { return m_one; }
    /// The kernel that LibTorch will take for these inputs: "explicit", "math", "flash", "memory-efficient", …
    [[nodiscard]] std::string attentionKernel() const;
    /// Tensors that are neither parameters nor batch; some may be undefined.
    [[nodiscard]] std::vector<at::Tensor> constants() const;
    /// Bytes of those that belong to the forms of attention: masks and rotary tables.
    [[nodiscard]] core::Bytes formConstantBytes() const;

private:
    [[nodiscard]] AttentionSettings settingsOf(const core::LayerForm &form) const;
    [[nodiscard]] Block blockOf(const ParameterStore &parameters, int layer) const;
    [[nodiscard]] Block::Feed feedOf(const ParameterStore &parameters, int layer) const;
    [[nodiscard]] ExpertWeights expertsOf(const ParameterStore &parameters, const std::string &prefix) const;
    [[nodiscard]] RouterChoice &choiceOf(int stage);

    core::ModelConfig m_model;
    core::Workload m_workload;
    core::ChainShape m_shape;
    c10::Device m_device;
    Permanent m_permanent;
    at::Tensor m_one, m_losses;
    EmbeddingStage m_embedding;
    HeadStage m_head;
    std::vector<AttentionSettings> m_forms; // the few that occur, with their constants
    std::vector<std::size_t> m_formOfLayer;
    std::vector<Block> m_blocks;
    std::map<int, RouterChoice> m_choices; // by stage, from its first forward to its backward
    std::map<int, RouterChoice> m_replayed;
    at::Tensor m_targets;
    int m_microBatch = 0;
};

} // namespace remat::gpu
