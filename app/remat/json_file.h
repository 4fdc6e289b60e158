// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"

namespace remat::app {

/// Reads a JSON document of at most 64 MiB. The error names the file.
[[nodiscard]] core::Result<core::Json> readJsonFile(const std::string &path);

} // namespace remat::app
