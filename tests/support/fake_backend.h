// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <memory>

#include "measure/training_backend.h"

namespace remat::tests {

/// How a fake engine behaves; shared with the workloads it prepared, so a test may change it in mid-sweep.
struct FakeBehaviour
{
    core::Bytes budget = 0;      // 0: everything fits
    bool wrongGradients = false; // every proof finds differences
    bool probeDoesNotFit = false;
    int skips = 0;            // so many of the next steps are skipped by the loss scaler
    int missingGradients = 0; // every proof finds so many
    std::string attentionWhy;
    std::string failWith;                                // prepare() fails with this sentence
    std::function<void(const core::Schedule &)> onProof; // called before each, whatever it does
    std::function<void(const core::Schedule &)> onStep;

    std::function<core::MemoryPressure()> pressure = [] { return core::MemoryPressure(); }; // no signs
    core::AllocatorState failure;                                                           // of what does not fit

    std::function<bool(const core::Schedule &)> fails; // the engine breaks on these schedules

    std::vector<std::string> probedOptions; // of the last probe
    int probes = 0, prepares = 0, resets = 0, proofs = 0, references = 0, steps = 0, records = 0;
    std::vector<core::Schedule> stepped; // in order, warm-up included
};

/// An engine without arithmetic: memory and time follow from costs of simple shape by the simulator, the same numbers
/// for the same schedule in any order. Steps get 0 to 1 % of time added by their number, so spreads are not zero.
class FakeBackend final : public core::TrainingBackend
{
public:
    explicit FakeBackend(std::shared_ptr<FakeBehaviour> behaviour = std::make_shared<FakeBehaviour>());

    std::vector<core::DeviceInfo> devices() override;
    core::Result<core::ChainCosts> probe(const core::ModelConfig &model, const core::Workload &workload,
                                         const std::vector<std::string> &options, std::stop_token stop) override;
    core::Result<std::unique_ptr<core::PreparedWorkload>> prepare(const core::ModelConfig &model,
                                                                  const core::Workload &workload) override;

private:
    std::shared_ptr<FakeBehaviour> m_behaviour;
};

/// Costs that depend on width, sequence length, batch and depth as a Transformer's do, in simple numbers. Options save
/// less and rebuild it; without `options`: all of them.
[[nodiscard]] core::ChainCosts fakeCosts(const core::ModelConfig &model, const core::Workload &workload);
[[nodiscard]] core::ChainCosts fakeCosts(const core::ModelConfig &model, const core::Workload &workload,
                                         const std::vector<std::string> &options);

/// A model of `layers` blocks, width 8, vocabulary 16.
[[nodiscard]] core::ModelConfig tinyModel(int layers);

} // namespace remat::tests
