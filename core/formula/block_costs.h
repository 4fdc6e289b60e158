// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "formula/formula_costs.h"
#include "formula/step_run.h"
#include "probe/sibling_costs.h"

namespace remat::core::formula {

/// Costs and work of one kind of block, from a sibling that is run on sizes alone.
class BlockCosts
{
public:
    [[nodiscard]] static Result<std::unique_ptr<BlockCosts>> make(Sibling sibling,
                                                                  const std::vector<std::string> &options);

    [[nodiscard]] const SiblingCosts<StepRun> &costs() const { return m_costs; }
    [[nodiscard]] StageWork work(int stage) const;
    [[nodiscard]] Bytes formConstants() const { return m_formConstants; }
    [[nodiscard]] Bytes otherConstants() const { return m_otherConstants; }
    [[nodiscard]] Bytes inputBytes() const { return m_inputBytes; }

private:
    explicit BlockCosts(Sibling sibling) : m_costs(std::move(sibling)) { }

    SiblingCosts<StepRun> m_costs;
    Bytes m_formConstants = 0, m_otherConstants = 0, m_inputBytes = 0;
};

} // namespace remat::core::formula
