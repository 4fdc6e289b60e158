// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "models/session_reader.h"

namespace remat::tests {

/// A model of `layers` blocks as the sample measured it.
[[nodiscard]] core::ModelConfig sampleModel(int layers);

/// Costs of its stages: round numbers with the proportions of a real block.
[[nodiscard]] core::ChainCosts sampleCosts(int layers);

/// A step of a strategy with an event for every allocation, made by walking over its schedule with the sample's costs.
[[nodiscard]] core::Recording sampleRecording(const std::string &strategy, int layers);

/// A finished, measured point of the strategy whose peaks are those of sampleRecording.
[[nodiscard]] core::Point samplePoint(const std::string &strategy, int layers, std::int64_t run);

/// A session held in memory with one workload and a run for each strategy.
class SampleReader final : public ui::SessionReader
{
public:
    SampleReader(int layers, const std::vector<std::string> &strategies);

    QString path() const override { return QStringLiteral("/sessions/spring-lecture.remat"); }
    core::Result<std::int64_t> version() const override { return m_version; }
    core::Result<std::vector<core::StoredWorkload>> workloads() const override;
    core::Result<std::vector<core::StoredRun>> runs() const override { return m_runs; }
    core::Result<core::Schedule> schedule(std::int64_t run) const override;
    core::Result<core::Recording> recording(std::int64_t run) const override;
    core::Result<std::vector<core::KeptBlock>> keptBlocks(std::int64_t run) const override;
    core::Result<std::optional<core::ChainCosts>> costs(std::int64_t workload) const override;

    /// Adds a run as if a writer had committed it; `schedule` is what a plan stored.
    void add(const core::Point &point, const core::Schedule &schedule = {});

private:
    int m_layers;
    std::int64_t m_version = 1;
    std::vector<core::StoredRun> m_runs;
    std::map<std::int64_t, core::Schedule> m_schedules;
};

/// A session of twelve layers with both modes, a rule of its own and a run that does not fit.
[[nodiscard]] std::unique_ptr<SampleReader> lectureSession();

} // namespace remat::tests
