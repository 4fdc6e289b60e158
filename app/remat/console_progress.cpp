// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "console_progress.h"

#include <cstdio>

#include <unistd.h>

namespace remat::app {

ConsoleProgress::ConsoleProgress() : m_terminal(isatty(STDERR_FILENO) == 1) { }

ConsoleProgress::~ConsoleProgress()
{
    if (m_shown)
        std::fputs("\r\x1b[K", stderr);
}

void ConsoleProgress::show(const core::RunnerEvent &event)
{
    if (!m_terminal || event.kind != core::RunnerEvent::Kind::progress)
        return;
    const core::Progress &progress = event.progress;
    std::string line = std::to_string(progress.run) + "/" + std::to_string(progress.runs) + " runs · " + progress.phase;
    if (!progress.strategy.empty())
        line += " " + progress.strategy;
    if (progress.step > 0)
        line += " · step " + std::to_string(progress.step);
    if (progress.remaining > 0)
        line += " · at least " + core::formatDuration(progress.remaining) + " more";
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
    m_shown = true;
}

} // namespace remat::app
