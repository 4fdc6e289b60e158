// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "layering/source_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace remat::tests {

namespace {

enum class Kind { qt, plot, torch, cuda, sibling, other };

/// What a folder may include beside the standard library, and which folders its quoted includes may come from.
struct FolderRule
{
    std::string_view folder;
    std::initializer_list<Kind> forbidden;
    std::string_view why;
};

constexpr std::string_view kCoreWhy = "core knows neither Qt nor LibTorch";
constexpr std::string_view kGpuWhy = "the engine never sees Qt";
constexpr std::string_view kUiWhy = "the window never sees LibTorch, and only ui/plots sees qcustomplot.h";
constexpr std::string_view kRematWhy = "remat has no Qt and opens the engine at run time";
constexpr std::string_view kScopeWhy = "the window never sees LibTorch";

/// The first folder that matches counts, so narrower ones come first.
const FolderRule kFolders[] = {
    {"core/", {Kind::qt, Kind::plot, Kind::torch, Kind::cuda}, kCoreWhy},
    {"gpu/cuda/", {Kind::qt, Kind::plot}, kGpuWhy},
    {"gpu/", {Kind::qt, Kind::plot, Kind::cuda}, kGpuWhy},
    {"ui/plots/", {Kind::torch, Kind::cuda}, kUiWhy},
    {"ui/", {Kind::plot, Kind::torch, Kind::cuda}, kUiWhy},
    {"app/remat/", {Kind::qt, Kind::plot, Kind::torch, Kind::cuda}, kRematWhy},
    {"app/rematscope/", {Kind::plot, Kind::torch, Kind::cuda}, kScopeWhy},
};

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes)
{
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return text.starts_with(p); });
}

Kind kindOf(std::string_view name)
{
    if (name == "qcustomplot.h")
        return Kind::plot;
    if (startsWithAny(name, {"c10/cuda", "ATen/cuda", "torch/csrc/cuda", "cuda.h", "cuda_runtime", "cupti"}))
        return Kind::cuda;
    if (startsWithAny(name, {"torch/", "ATen/", "c10/", "caffe2/"}))
        return Kind::torch;
    if (name.size() > 1 && name[0] == 'Q' && ((name[1] >= 'A' && name[1] <= 'Z') || name[1] == 't'))
        return Kind::qt;
    return Kind::other;
}

/// Calls use(number, line) for every line, numbered from 1, without its end.
template <typename Use>
void forEachLine(std::string_view text, Use use)
{
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        use(++number, text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

std::string_view trimmed(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

/// The name between the brackets or quotes of an include line; empty for any other line.
std::string_view includedName(std::string_view line)
{
    line = trimmed(line);
    if (!line.starts_with('#'))
        return {};
    line = trimmed(line.substr(1));
    if (!line.starts_with("include"))
        return {};
    line = trimmed(line.substr(7));
    if (line.empty() || (line.front() != '<' && line.front() != '"'))
        return {};
    const std::size_t end = line.find(line.front() == '<' ? '>' : '"', 1);
    return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
}

bool isSource(std::string_view file)
{
    return file.ends_with(".cpp") || file.ends_with(".h");
}

bool isApache(std::string_view file)
{
    return startsWithAny(file, {"core/", "gpu/", "app/remat/"}) && !file.starts_with("app/rematscope/");
}

std::string_view commentMark(std::string_view file)
{
    return isSource(file) ? "// " : "# ";
}

} // namespace

std::string toString(const Breach &breach)
{
    return breach.file + ":" + std::to_string(breach.line) + ": " + breach.what;
}

void checkIncludes(const std::string &file, std::string_view text, std::vector<Breach> &breaches)
{
    const auto *const rule = std::find_if(std::begin(kFolders), std::end(kFolders),
                                          [&](const FolderRule &r) { return file.starts_with(r.folder); });
    if (rule == std::end(kFolders) || !isSource(file))
        return;
    forEachLine(text, [&](int number, std::string_view line) {
        const std::string_view name = includedName(line);
        if (name.empty())
            return;
        const Kind kind = kindOf(name);
        if (std::find(rule->forbidden.begin(), rule->forbidden.end(), kind) != rule->forbidden.end())
            breaches.push_back({file, number, "includes " + std::string(name) + "; " + std::string(rule->why)});
    });
}

void checkLicence(const std::string &file, std::string_view text, std::vector<Breach> &breaches)
{
    const std::string mark(commentMark(file));
    const std::string owner = mark + "SPDX-FileCopyrightText: 2026 The Rematscope authors";
    const std::string licence
        = mark + "SPDX-License-Identifier: " + (isApache(file) ? "Apache-2.0" : "GPL-3.0-or-later");
    bool hasOwner = false;
    bool hasLicence = false;
    forEachLine(text.substr(0, 400), [&](int number, std::string_view line) {
        hasOwner = hasOwner || (number <= 3 && line == owner);
        hasLicence = hasLicence || (number <= 3 && line == licence);
    });
    if (!hasOwner || !hasLicence)
        breaches.push_back({file, 1, "lacks the line '" + (hasOwner ? licence : owner) + "' at its top"});
}

void checkLength(const std::string &file, std::string_view text, std::vector<Breach> &breaches)
{
    const std::pair<std::string_view, int> limits[] = {{"CONTRIBUTING.md", 80},
                                                       {"ARCHITECTURE.md", 200},
                                                       {"/CMakeLists.txt", 400},
                                                       {"CMakeLists.txt", 150},
                                                       {".h", 150},
                                                       {".cpp", 400},
                                                       {".sh", 400},
                                                       {".py", 400}};
    const auto lines = std::count(text.begin(), text.end(), '\n');
    for (const auto &[ending, limit] : limits) {
        if (!file.ends_with(ending))
            continue;
        if (lines > limit)
            breaches.push_back(
                {file, limit + 1, "has " + std::to_string(lines) + " lines; at most " + std::to_string(limit)});
        return;
    }
}

void checkFunctions(const std::string &file, std::string_view text, std::vector<Breach> &breaches)
{
    constexpr int kLongest = 60;
    if (!isSource(file))
        return;
    // The formatter puts a function's braces alone on their lines at one indentation; types end in "};".
    int opened = 0;
    std::size_t indentation = 0;
    forEachLine(text, [&](int number, std::string_view line) {
        const std::string_view body = trimmed(line);
        const std::size_t indent = line.size() - body.size();
        if (body == "{") {
            opened = number;
            indentation = indent;
        } else if (body.starts_with("}") && opened != 0 && indent == indentation) {
            if (body == "}" && number - opened - 1 > kLongest)
                breaches.push_back({file, opened,
                                    "a function of " + std::to_string(number - opened - 1) + " lines; at most "
                                        + std::to_string(kLongest)});
            opened = 0;
        }
    });
}

void checkWords(const std::string &file, std::string_view text, std::vector<Breach> &breaches)
{
    // Split so that this file does not break its own rule.
    static const std::string words[] = {std::string("TO") + "DO", std::string("FIX") + "ME", std::string("QSK") + "IP"};
    forEachLine(text, [&](int number, std::string_view line) {
        for (const std::string &word : words)
            if (line.find(word) != std::string_view::npos)
                breaches.push_back({file, number, "holds " + word});
    });
}

} // namespace remat::tests
