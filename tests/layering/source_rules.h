// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace remat::tests {

/// One broken rule: where, and what is wrong. `line` counts from 1; 0 means the whole file.
struct Breach
{
    std::string file;
    int line = 0;
    std::string what;
};

/// "core/base/json.h:12: …" for a failure message.
[[nodiscard]] std::string toString(const Breach &breach);

/// The rules that a text search can hold. Each takes a path relative to the checkout, with '/', and the file's text.
void checkIncludes(const std::string &file, std::string_view text, std::vector<Breach> &breaches);
void checkLicence(const std::string &file, std::string_view text, std::vector<Breach> &breaches);
void checkLength(const std::string &file, std::string_view text, std::vector<Breach> &breaches);
void checkFunctions(const std::string &file, std::string_view text, std::vector<Breach> &breaches);
void checkWords(const std::string &file, std::string_view text, std::vector<Breach> &breaches);

} // namespace remat::tests
