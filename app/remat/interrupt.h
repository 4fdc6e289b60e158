// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace remat::app {

/// Turns Ctrl-C and SIGTERM into a readable file descriptor while it lives; at most one in a process.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    /// Becomes readable with the first signal.
    [[nodiscard]] int descriptor() const;
    /// How often the user asked to stop.
    [[nodiscard]] int count() const;
    /// Empties the descriptor, so that the next signal makes it readable again.
    void acknowledge();
};

} // namespace remat::app
