// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace remat::app {

namespace {

// A signal handler can reach nothing but globals.
std::array<int, 2> g_pipe{-1, -1}; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> g_count{0};       // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void onSignal(int)
{
    g_count.fetch_add(1);
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = write(g_pipe[1], &byte, 1);
}

} // namespace

Interrupt::Interrupt()
{
    if (pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    struct sigaction action
    {
    };
    action.sa_handler = onSignal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    for (int &end : g_pipe) {
        if (end >= 0)
            close(end);
        end = -1;
    }
}

int Interrupt::descriptor() const
{
    return g_pipe[0];
}

int Interrupt::count() const
{
    return g_count.load();
}

void Interrupt::acknowledge()
{
    std::array<char, 64> bytes{};
    while (read(g_pipe[0], bytes.data(), bytes.size()) > 0) { }
}

} // namespace remat::app
