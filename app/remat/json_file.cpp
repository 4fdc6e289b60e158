// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "json_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <sys/stat.h>

#include "base/text.h"

namespace remat::app {

namespace {

constexpr off_t kLargest = 64 * 1024 * 1024;

core::Error refused(const std::string &path, const std::string &why)
{
    return {core::ErrorCode::refused, core::quoteText(path, 200) + " " + why};
}

} // namespace

core::Result<core::Json> readJsonFile(const std::string &path)
{
    struct stat status
    {
    };
    if (stat(path.c_str(), &status) != 0)
        return refused(path, std::string("cannot be read (") + std::strerror(errno) + "); check the path.");
    if (!S_ISREG(status.st_mode))
        return refused(path, "is no file; name a JSON file.");
    if (status.st_size > kLargest)
        return refused(path, "is larger than 64 MiB, which no such file is.");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    if (!file.read(text.data(), status.st_size))
        return refused(path, "cannot be read; check its permissions.");
    return core::parseJson(text, core::quoteText(path, 200));
}

} // namespace remat::app
