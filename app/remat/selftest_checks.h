// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/training_backend.h"

namespace remat::app {

/// One named check with the numbers that it looked at.
struct SelftestResult
{
    std::string name;
    bool passed = false;
    std::string numbers;
};

/// Runs all checks on a device through the interfaces of core, with models built in memory; `tell` hears of each as it
/// ends. Checks go on after one that fails.
[[nodiscard]] std::vector<SelftestResult> runSelftest(core::TrainingBackend &backend, const std::string &device,
                                                      int threads,
                                                      const std::function<void(const SelftestResult &)> &tell);

} // namespace remat::app
