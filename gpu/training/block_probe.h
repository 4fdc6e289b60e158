// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "probe/sibling_costs.h"
#include "training/probe_run.h"

namespace remat::gpu {

/// The probe of one kind of block: a sibling of the model, run on the device under the op lists.
class BlockProbe
{
public:
    /// The sibling whose blocks are all like `layer` of `model`.
    [[nodiscard]] static core::Result<std::unique_ptr<BlockProbe>> make(core::Sibling sibling,
                                                                        const std::vector<std::string> &options,
                                                                        DeviceParts &parts,
                                                                        const std::stop_token &stop);

    [[nodiscard]] const core::SiblingCosts<ProbeRun> &costs() const { return m_costs; }
    /// Bytes of the constants that belong to the block's form of attention, and of all others.
    [[nodiscard]] core::Bytes formConstants() const { return m_formConstants; }
    [[nodiscard]] core::Bytes otherConstants() const;

private:
    explicit BlockProbe(core::Sibling sibling) : m_costs(std::move(sibling)) { }

    /// All lists in turn, round after round.
    [[nodiscard]] core::Result<void> time(TorchWorkload &workload, const std::stop_token &stop);

    core::SiblingCosts<ProbeRun> m_costs;
    core::Bytes m_formConstants = 0;
};

} // namespace remat::gpu
