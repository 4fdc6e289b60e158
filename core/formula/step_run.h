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
    Bytes totalPeak = 0, activationPeak = 0; // above what was held before, as the next two
    Bytes totalAfter = 0, activationAfter = 0;
    WorkAmount work, rebuilt;

    [[nodiscard]] Transient transient() const { return {totalPeak, activationPeak}; }
    [[nodiscard]] Bytes activationChange() const { return activationAfter; }
    [[nodiscard]] Bytes gradientChange() const { return totalAfter - activationAfter; }
};

/// A step of a schedule on a size-only model, op by op as the engine's executor runs it: the second of two steps, so that
/// kept gradients exist.
class StepRun
{
public:
    /// `schedule` must be valid for the model's chain.
    StepRun(const ModelConfig &model, const Workload &workload, const Schedule &schedule);

    /// The first op with that text in a micro-batch.
    [[nodiscard]] const OpAccount &memory(const std::string &code, int microBatch) const;
    /// Sizes take no time.
    [[nodiscard]] static Nanoseconds ns(const std::string & /*code*/) { return 0; }
    [[nodiscard]] static Nanoseconds rebuildNs(const std::string & /*code*/) { return 0; }
    [[nodiscard]] static Nanoseconds nsBeside(const std::string &, const StepRun &, const std::string &) { return 0; }
    /// True where the boundary before `code`'s stage is released within that op: nothing but the executor held it.
    [[nodiscard]] bool releasesInput(const std::string &code) const;
    [[nodiscard]] bool isApproximate() const { return m_tape.isApproximate(); }

private:
    class Execution;
    void section(const std::string &code, const std::function<void()> &work);
    void closing(SizeModel &model, const Workload &workload);
    void measure();

    Tape m_tape;
    std::vector<OpAccount> m_ops;
};

} // namespace remat::core::formula
