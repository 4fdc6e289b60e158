// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "config/family_table.h"

namespace remat::core {

/// The table with which a config is to be read, and what the user should know about the choice.
struct FamilyChoice
{
    const FamilyTable *table = nullptr;
    std::vector<ConfigNote> derived;
    std::vector<ConfigNote> warnings;
};

/// Decides by --family, then model_type, then architectures, then keys that only one kind of file has; or refuses with
/// what the file is instead.
[[nodiscard]] Result<FamilyChoice> chooseFamily(const Json &object, const std::string &file, const std::string &asked);

} // namespace remat::core
