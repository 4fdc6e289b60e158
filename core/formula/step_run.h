// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formula/model_formula.h"
#include "schedule/chain_costs.h"
#include "schedule/liveness.h"

namespace remat::core::formula {

/// Bytes and work of one op, or of a section behind the schedule, on both memory axes.
struct OpAccount
{
    std::string code;
    int stage = -1;
    int microBatch = 0;
    std::size_t firstEvent = 0, endEvent = 0;
    Bytes totalPeak = 0, activationPeak = 0; // above what was held before
    Bytes totalChange = 0, activationChange = 0;
    WorkCount work, rebuilt;

    [[nodiscard]] Transient transient() const { return {totalPeak, activationPeak}; }
    [[nodiscard]] Bytes gradientChange() const { return totalChange - activationChange; }
};

/// A step of a schedule on a size-only model, op by op as the engine's executor runs it: the second of two steps, so that
/// kept gradients exist.
class StepRun
{
public:
    /// `schedule` must be valid for the model's chain.
    StepRun(const ModelConfig &model, const Workload &workload, const Schedule &schedule);

    /// The first op with that text in a micro-batch.
    [[nodiscard]] const OpAccount &op(const std::string &code, int microBatch) const;
    /// True where the boundary before `code`'s stage is released within that op: nothing but the executor held it.
    [[nodiscard]] bool releasesInput(const std::string &code) const;
    [[nodiscard]] bool isApproximate() const { return m_tape.isApproximate(); }
    [[nodiscard]] const std::vector<OpAccount> &ops() const { return m_ops; }
    [[nodiscard]] const Tape &tape() const { return m_tape; }

private:
    class Execution;
    void section(const std::string &code, const std::function<void()> &work);
    void closing(SizeModel &model, const Workload &workload);
    void measure();

    Tape m_tape;
    std::vector<OpAccount> m_ops;
};

/// The op lists that show every stage in each way it can be run; as the probe's (gpu/training/probe_lists).
struct StageOptionPair
{
    std::string first, second; // of the attention half (or the block) and of the feed-forward half; empty: keep_all
};
[[nodiscard]] std::vector<StageOptionPair> pairUp(const std::vector<std::string> &options, const ChainShape &shape);
[[nodiscard]] Schedule keepAllList(const ChainShape &shape, const StageOptionPair &options);
[[nodiscard]] Schedule rerunBlocksList(const ChainShape &shape, const StageOptionPair &options);
[[nodiscard]] Schedule rerunAllList(const ChainShape &shape);

} // namespace remat::core::formula
