// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace remat::core {

/// A config file's text and the names by which people know it.
struct ConfigText
{
    std::string text;
    std::string file; // for messages: "gpt2/config.json"
    std::string name; // of the model: file stem, or the folder's name for a config.json
};

/// Reads a file, or config.json of a folder; looks at kind and size before anything is read.
[[nodiscard]] Result<ConfigText> readConfigText(const std::string &path);

/// What text that is no JSON is instead ("a Git LFS pointer: …"), as the rest of a sentence; empty if nothing known.
[[nodiscard]] std::string_view recogniseText(std::string_view text);

} // namespace remat::core
