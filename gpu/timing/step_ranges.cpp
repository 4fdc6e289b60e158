// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "timing/step_ranges.h"

namespace remat::gpu {

std::string rangeName(const std::vector<core::Stage> &stages, const core::OpRecord &op)
{
    if (op.stage < 0)
        return op.code;
    const std::string stage = core::stageName(stages, op.stage);
    return op.phase == core::Phase::loss ? stage : stage + " · " + std::string(core::toString(op.phase));
}

bool rangesWanted(const std::function<const char *(const char *)> &variable)
{
    const auto value = [&](const char *name) { return std::string(variable(name) ? variable(name) : ""); };
    const std::string asked = value("REMAT_NVTX");
    if (!asked.empty())
        return asked != "0";
    return !value("NVTX_INJECTION64_PATH").empty();
}

} // namespace remat::gpu
