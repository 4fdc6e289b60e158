// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "measure/recording.h"
#include "schedule/chain_costs.h"
#include "training/torch_workload.h"

namespace remat::gpu {

/// Memory of one op of a recorded step on both axes.
struct OpMemory
{
    core::Bytes totalBefore = 0, totalPeak = 0, totalAfter = 0;
    core::Bytes activationBefore = 0, activationPeak = 0, activationAfter = 0;

    [[nodiscard]] core::Transient transient() const
    {
        return {totalPeak - totalBefore, activationPeak - activationBefore};
    }
    [[nodiscard]] core::Bytes activationChange() const { return activationAfter - activationBefore; }
    [[nodiscard]] core::Bytes gradientChange() const { return totalAfter - totalBefore - activationChange(); }
};
[[nodiscard]] std::vector<OpMemory> memoryOfOps(const core::Recording &recording);

/// One op list of a probe: recorded once, then timed in rounds with the other lists, so that a slow while of the machine
/// falls on all of them.
class ProbeRun
{
public:
    /// Runs the list once to warm up, then records it.
    [[nodiscard]] static core::Result<ProbeRun> make(TorchWorkload &workload, const core::Schedule &list,
                                                     std::stop_token stop);
    /// One more timed step; what is asked below are medians over all of them.
    [[nodiscard]] core::Result<void> time(TorchWorkload &workload, std::stop_token stop);

    /// The first op with that text in a micro-batch.
    [[nodiscard]] const OpMemory &memory(const std::string &code, int microBatch) const;
    [[nodiscard]] core::Nanoseconds ns(const std::string &code, int microBatch = 0) const;
    [[nodiscard]] core::Nanoseconds rebuildNs(const std::string &code) const;
    /// Of an op without what it rebuilds, compared round by round with op `its` of another list: core::medianBeside.
    [[nodiscard]] core::Nanoseconds nsBeside(const std::string &code, const ProbeRun &other,
                                             const std::string &its) const;
    [[nodiscard]] const core::Recording &recording() const { return m_recording; }
    /// True where the tensor that the op before `code`'s stage made is released within that op of the first micro-batch:
    /// nothing but the executor held it.
    [[nodiscard]] bool releasesInput(const std::string &code) const;
    /// Median time of a step less the time of its ops.
    [[nodiscard]] core::Nanoseconds betweenOps() const;

private:
    [[nodiscard]] std::size_t find(const std::string &code, int microBatch) const;
    [[nodiscard]] std::vector<core::Nanoseconds> withoutRebuilds(const std::string &code) const;

    core::Schedule m_list;
    core::Recording m_recording;
    std::vector<OpMemory> m_memory;
    std::vector<std::vector<core::Nanoseconds>> m_ns, m_rebuildNs; // of each op, a sample a timed step
    std::vector<core::Nanoseconds> m_betweenOps;
};

} // namespace remat::gpu
