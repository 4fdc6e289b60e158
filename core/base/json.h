// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace remat::core {

/// Key order is part of what people read, so documents keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// Parses untrusted text without exceptions; nesting deeper than 64 levels is refused. `what` names the document in
/// the error sentence, which says line and column.
[[nodiscard]] Result<Json> parseJson(std::string_view text, std::string_view what);

} // namespace remat::core
