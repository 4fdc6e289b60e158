// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/workload.h"

namespace remat::gpu {

/// The two dropouts that one option of the workload covers. Negative there means as the config says, which may differ
/// between embedding and residual (opt has none behind its embedding).
[[nodiscard]] inline double embeddingDropout(const core::ModelConfig &model, const core::Workload &workload)
{
    return workload.dropout < 0 ? model.embeddingDropout : workload.dropout;
}
[[nodiscard]] inline double residualDropout(const core::ModelConfig &model, const core::Workload &workload)
{
    return workload.dropout < 0 ? model.residualDropout : workload.dropout;
}

} // namespace remat::gpu
