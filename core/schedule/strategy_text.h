// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/strategy.h"

namespace remat::core {

/// Private to the strategies: parts of their spelling.

/// "0,3,5-8" as ascending layer numbers without repeats, and back; empty where the text is none.
[[nodiscard]] std::vector<int> layersFromText(std::string_view text);
[[nodiscard]] std::string textOf(const std::vector<int> &layers);

/// What stands behind "selective:", and its canonical spelling; empty where it is none.
[[nodiscard]] std::optional<StageOptions> optionsFromText(std::string_view text);
[[nodiscard]] std::string textOf(const StageOptions &options);

} // namespace remat::core
