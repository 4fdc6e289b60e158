// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

#include "advice/forecast.h"

namespace remat::tests {

/// A config of the test data ("llama_8b") with so many layers; its width is the true one, for formulas need no memory.
[[nodiscard]] core::ModelConfig modelNamed(const std::string &name, int layers);

/// One config of each kind of block and head.
[[nodiscard]] const std::vector<std::string> &modelNames();

/// Resolved on one thread; fails the program where it is refused.
[[nodiscard]] core::Workload resolved(core::Workload workload, const core::ModelConfig &model);
[[nodiscard]] core::Workload workloadOf(const core::ModelConfig &model, std::int64_t batch, std::int64_t seq);

/// Costs by formula on a device of the table.
[[nodiscard]] core::CostsAt byFormula(const char *device = "a100-80gb");

/// The simulator's costs of the fake engine, which grow with the batch, and a time that is paid once a step.
[[nodiscard]] core::CostsAt byFake(core::Nanoseconds onceAStep = 0);

/// Peak and time of a strategy, without the code under test.
[[nodiscard]] core::Simulation simulationOf(const std::string &strategy, const core::ModelConfig &model,
                                            const core::Workload &workload, const core::ChainCosts &costs);

/// The words of a command as a shell would split them: blanks, single quotes, backslashes.
[[nodiscard]] std::vector<std::string> wordsOf(const std::string &command);

/// `start` with options set as the command line would: one name and value after the other, read by looking them up.
[[nodiscard]] core::Workload withArguments(core::Workload start, const std::vector<std::string> &words);

} // namespace remat::tests
