// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/config_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "base/units.h"

namespace remat::core {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t(8) << 20;

Error refusal(const std::string &file, const std::string &rest)
{
    return {ErrorCode::refused, cleanUtf8(file) + ": " + rest + "."};
}

/// A checkout without links leaves a file that holds one relative path.
bool looksLikeLink(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    constexpr std::size_t kLongestPath = 4096;
    return !text.empty() && text.size() <= kLongestPath && text.find('/') != std::string_view::npos
        && text.find_first_of("{}[]\"\n\t ") == std::string_view::npos;
}

Result<std::string> readAll(const fs::path &path, const std::string &file, std::size_t size)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return refusal(file, "it cannot be opened for reading; check its permissions");
    // One byte more than the size that was checked shows a file that grows, or one whose size is made up.
    std::string text(size + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad())
        return refusal(file, "it cannot be read to its end");
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > size)
        return refusal(file, "it holds more than its size of " + std::to_string(size) + " bytes says; copy it first");
    return text;
}

} // namespace

Result<ConfigText> readConfigText(const std::string &path)
{
    std::error_code error;
    fs::path file(path);
    fs::file_status status = fs::status(file, error);
    if (fs::is_directory(status)) {
        file /= "config.json";
        status = fs::status(file, error);
        if (status.type() == fs::file_type::not_found)
            return refusal(path, "this folder holds no config.json; name the file itself");
    }
    const std::string name = file.string();
    if (status.type() == fs::file_type::none)
        return refusal(name, "it cannot be looked at (" + error.message() + ")");
    if (!fs::exists(status))
        return refusal(name, "there is no such file; check the path");
    if (!fs::is_regular_file(status))
        return refusal(name, "it is no regular file; a config is a JSON file or a folder with a config.json");
    const std::uintmax_t size = fs::file_size(file, error);
    if (error)
        return refusal(name, "its size cannot be found (" + error.message() + ")");
    if (size > kLargestFile)
        return refusal(name,
                       "it has " + formatBytes(static_cast<Bytes>(std::min<std::uintmax_t>(size, INT64_MAX)))
                           + ", and no model config is larger than 8 MiB; name the config.json, not the weights");
    auto text = readAll(file, name, static_cast<std::size_t>(size));
    if (!text)
        return text.error();
    ConfigText result;
    result.text = std::move(text).value();
    result.file = cleanUtf8(name);
    result.name = cleanUtf8(file.stem().string());
    if (file.filename() == "config.json") {
        const std::string folder = fs::absolute(file, error).lexically_normal().parent_path().filename().string();
        if (!error && !folder.empty())
            result.name = cleanUtf8(folder);
    }
    return result;
}

std::string_view recogniseText(std::string_view text)
{
    struct Prefix
    {
        std::string_view bytes;
        std::string_view meaning;
    };
    using namespace std::string_view_literals;
    constexpr std::array<Prefix, 7> kPrefixes
        = {{{"version https://git-lfs"sv,
             "it is the pointer of a file in Git LFS; fetch the file itself with git lfs pull"},
            {"<!DOCTYPE"sv, "it is a web page, not JSON; download the raw file"},
            {"<html"sv, "it is a web page, not JSON; download the raw file"},
            {"\0\0"sv, "it begins with zero bytes and is no text; a JSON file is needed"},
            {"PK\x03\x04"sv, "it is a zip archive, not JSON; name the config.json"},
            {"\xFF\xFE"sv, "it is UTF-16 text; save it as UTF-8"},
            {"\xFE\xFF"sv, "it is UTF-16 text; save it as UTF-8"}}};
    for (const Prefix &prefix : kPrefixes)
        if (text.starts_with(prefix.bytes))
            return prefix.meaning;
    if (looksLikeLink(text))
        return "it holds the text of a symbolic link; name the file to which the link points";
    return {};
}

} // namespace remat::core
