// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "measure/runner_message.h"

namespace remat::app {

/// A `remat runner` child process and the pipes to it. Destroying it ends the child within about three seconds.
/// One thread.
class ChildRunner
{
public:
    [[nodiscard]] static core::Result<std::unique_ptr<ChildRunner>> start();
    ~ChildRunner();
    ChildRunner(const ChildRunner &) = delete;
    ChildRunner &operator=(const ChildRunner &) = delete;

    /// False where the child no longer reads.
    bool send(const core::RunnerRequest &request);

    enum class Wait { event, interrupted, silent, closed };
    /// The next event of the child, a sign on `interruptDescriptor`, ten seconds without a line (it beats every second),
    /// or the end of the child's output.
    [[nodiscard]] Wait next(int interruptDescriptor, core::RunnerEvent &event);

    void kill();

    /// Waits for the end and says how it came: "was killed (signal 9), probably out of memory".
    [[nodiscard]] std::string ending();

private:
    ChildRunner(int process, int toChild, int fromChild);
    [[nodiscard]] std::optional<std::string> takeLine();

    int m_process = -1;
    int m_toChild = -1;
    int m_fromChild = -1;
    std::string m_buffer;
};

} // namespace remat::app
