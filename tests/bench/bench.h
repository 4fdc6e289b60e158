// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "measure/point.h"

namespace remat::bench {

/// One line of the table: a time with its spread, or a ratio to a peer.
struct Row
{
    std::string name;
    core::StepTime time;
    std::string note;
};

/// Runs `work` a few times and summarises.
[[nodiscard]] Row timed(const std::string &name, int times, const std::function<void()> &work);

void print(const std::vector<Row> &rows, bool json);

/// Standard output of a program; an error where it cannot be started or ends badly. No shell.
[[nodiscard]] core::Result<std::string> outputOf(const std::vector<std::string> &command);
[[noreturn]] inline void exitWith(const std::string &sentence)
{
    std::fprintf(stderr, "%s\n", sentence.c_str());
    std::exit(1);
}
/// What went well, or the end of the program with its sentence.
template <typename T>
[[nodiscard]] T orExit(core::Result<T> result)
{
    if (!result)
        exitWith(result.error().message);
    return std::move(*result);
}
inline void orExit(const core::Result<void> &result)
{
    if (!result)
        exitWith(result.error().message);
}
/// The folder of this program, with a slash.
[[nodiscard]] std::string ownFolder();

} // namespace remat::bench

// One function a benchmark; each prints its own table and returns an exit code.
int benchPeer(bool json);
int benchCore(bool json);
int benchPlan(bool json);
int benchRecorder(bool json);
int benchStart(bool json);
int benchUi(bool json);
