// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "runner/runner_link.h"

namespace remat::app {

/// The runner beside our own program, or the one that REMAT_RUNNER names.
[[nodiscard]] ui::RunnerCommand findRunner();

/// Puts the window together, opens the files, runs until it is closed, or only until it is on the screen. Returns the
/// exit code.
[[nodiscard]] int runWindow(const QStringList &files, bool leaveWhenShown);

} // namespace remat::app
