// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "formula/block_formula.h"
#include "model/parameter_inventory.h"
#include "model/workload.h"

namespace remat::core::formula {

/// A model whose stages run on size-only tensors: parameters and constants lie outside the account. Made for one tape.
class SizeModel
{
public:
    SizeModel(const ModelConfig &model, const Workload &workload, Tape &tape);
    ~SizeModel();
    SizeModel(const SizeModel &) = delete;
    SizeModel &operator=(const SizeModel &) = delete;

    [[nodiscard]] const ChainShape &shape() const { return m_shape; }
    [[nodiscard]] const Tensor &input() const { return m_input; }
    [[nodiscard]] const Tensor &one() const { return m_one; }

    [[nodiscard]] Tensor runStage(int stage, const Tensor &input, const std::string &option, bool noOutput);
    [[nodiscard]] Tensor runLoss(const Tensor &input);
    void forget(int stage) { m_choices.erase(stage); }

    /// Trained tensors in the order of the inventory.
    [[nodiscard]] const std::vector<Tensor> &trained() const { return m_trained; }
    void dropGradients();

    [[nodiscard]] Bytes inputBytes() const; // tokens and targets of one micro-batch
    [[nodiscard]] Bytes formConstantBytes() const;
    [[nodiscard]] Bytes otherConstantBytes() const;

private:
    [[nodiscard]] Tensor find(const std::string &name) const;
    [[nodiscard]] NormPart normOf(const std::string &name, bool present, std::int64_t size) const;
    [[nodiscard]] ProjectionPart projectionOf(const std::string &name) const;
    [[nodiscard]] AttentionPart coreOf(const LayerForm &form) const;
    [[nodiscard]] BlockPart blockOf(int layer) const;
    void addFeed(BlockPart &block, int layer) const;
    void makeParameters();
    void makeBatch();

    [[nodiscard]] Tensor embed() const;
    [[nodiscard]] Tensor embedPatches() const;
    [[nodiscard]] Tensor runFinal(const Tensor &input) const;
    [[nodiscard]] Tensor logits(const Tensor &input) const;
    [[nodiscard]] double residualDropout() const;

    ModelConfig m_model;
    Workload m_workload;
    Tape &m_tape;
    ChainShape m_shape;
    Element m_weightType, m_type;
    std::map<std::string, Tensor> m_parameters;
    std::vector<Tensor> m_trained;
    std::vector<BlockPart> m_blocks;
    Tensor m_input, m_targets, m_one, m_positions, m_sinusoids;
    NormPart m_final, m_transformNorm;
    ProjectionPart m_transform, m_output;
    std::map<int, Tensor> m_choices;
};

[[nodiscard]] Element computeElement(Dtype dtype);
[[nodiscard]] Element weightElement(Dtype dtype);

} // namespace remat::core::formula
