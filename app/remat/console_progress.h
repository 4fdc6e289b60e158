// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/runner_message.h"

namespace remat::app {

/// One line on a terminal's standard error that follows a job; silent in a pipe. Clears itself at its end. One thread.
class ConsoleProgress
{
public:
    ConsoleProgress();
    ~ConsoleProgress();
    ConsoleProgress(const ConsoleProgress &) = delete;
    ConsoleProgress &operator=(const ConsoleProgress &) = delete;

    void show(const core::RunnerEvent &event);

private:
    bool m_terminal;
    bool m_shown = false;
};

} // namespace remat::app
