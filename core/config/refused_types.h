// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace remat::core {

/// Why models of this model_type cannot be run here, as the rest of a sentence; empty for types that nobody knows here.
[[nodiscard]] std::string_view whyRefused(std::string_view modelType);

} // namespace remat::core
