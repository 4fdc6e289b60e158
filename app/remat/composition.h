// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace remat::app {

/// Puts the command line together and runs it; returns the exit code.
[[nodiscard]] int runRemat(int argc, char **argv);

} // namespace remat::app
