// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device_parts.h"
#include "executor/equality_check.h"
#include "executor/step_trace.h"
#include "stages/transformer_model.h"
#include "training/batch_source.h"
#include "training/optimizer.h"

namespace remat::gpu {

/// A model on a device with its optimizer and batches: runs proofs, timed steps and recorded steps. Uses the backend's
/// device parts, which must outlive it.
class TorchWorkload final : public core::PreparedWorkload
{
public:
    /// Makes the parameters from the seed. Errors: doesNotFit, data file.
    [[nodiscard]] static core::Result<std::unique_ptr<TorchWorkload>>
    make(const core::ModelConfig &model, const core::Workload &workload, DeviceParts &parts);
    ~TorchWorkload() override;

    [[nodiscard]] core::Result<void> reset() override;
    [[nodiscard]] core::Result<core::Proof> prove(const core::Schedule &schedule, bool asReference) override;
    [[nodiscard]] core::Result<core::StepOutcome> step(const core::Schedule &schedule, std::stop_token stop) override;
    [[nodiscard]] core::Result<core::RecordedStep> recordStep(const core::Schedule &schedule,
                                                              std::stop_token stop) override;
    [[nodiscard]] core::Environment environment() const override;
    [[nodiscard]] core::MemoryPressure pressure() const override;

    /// Times of every op of the last timed step.
    [[nodiscard]] const std::vector<core::OpRecord> &lastRecords() const { return m_lastRecords; }

    /// For tests: what lies under the interface.
    [[nodiscard]] ParameterStore &parameters() { return *m_parameters; }
    [[nodiscard]] TransformerModel &model() { return *m_model; }
    [[nodiscard]] BatchSource &batches() { return *m_batches; }
    [[nodiscard]] const ReferenceGradients &reference() const { return m_reference; }
    void wrapStages(StageProvider *wrapper) { m_wrapper = wrapper; }
    void restoreRandomState(bool restore) { m_restoreRandomState = restore; }

private:
    class UpdateHook;
    [[nodiscard]] core::Result<core::Proof> proveOnce(const core::Schedule &schedule, bool asReference);
    [[nodiscard]] core::Result<core::StepOutcome> stepOnce(const core::Schedule &schedule, std::stop_token stop);
    [[nodiscard]] core::Result<core::RecordedStep> recordOnce(const core::Schedule &schedule, std::stop_token stop);
    void cleanUp(const RandomState &before);
    TorchWorkload(core::ModelConfig model, core::Workload workload, DeviceParts &parts);
    void build(BatchSource &&batches);
    void forwardBackward(const core::Schedule &schedule, const core::Liveness &liveness, StepTrace &trace);
    void wholeStep(const core::Schedule &schedule, const core::Liveness &liveness, StepTrace &trace);
    void hookUpdates();
    void createOptimizerState();
    void countMissing(core::Proof &proof) const;
    [[nodiscard]] std::string whyOtherKernel(const std::string &kernel) const;
    [[nodiscard]] core::ChainShape shape() const;
    void dropGradients();
    /// Tells the recorder what every block is for that a step finds.
    void declareBlocks(MemoryRecorder &recorder) const;
    /// Runs `work` of one step; after a failure nothing of it is left, and the random state is what it was.
    [[nodiscard]] core::Result<core::StepOutcome> attempt(StepTrace &trace, const std::function<void()> &work);

    core::ModelConfig m_config;
    core::Workload m_workload;
    DeviceParts &m_parts;
    std::unique_ptr<ParameterStore> m_parameters;
    std::unique_ptr<TransformerModel> m_model;
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<BatchSource> m_batches;
    ReferenceGradients m_reference;
    std::vector<core::OpRecord> m_lastRecords;
    StageProvider *m_wrapper = nullptr;
    bool m_restoreRandomState = true;
    bool m_updates = false; // update hooks are to act
    std::int64_t m_steps = 0;
};

} // namespace remat::gpu
