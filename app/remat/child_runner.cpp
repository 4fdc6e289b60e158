// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "child_runner.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_library.h"

namespace remat::app {

namespace {

constexpr int kSilenceMs = 10'000;
constexpr int kPatienceMs = 3'000;
// No honest line is longer; a child that writes without end must not fill the parent's memory.
constexpr std::size_t kLongestLine = 64 * 1024 * 1024;

core::Error cannotStart()
{
    return {core::ErrorCode::failed,
            std::string("The runner process could not be started (") + std::strerror(errno)
                + "); close other programs and try again."};
}

[[noreturn]] void becomeRunner(int input, int output)
{
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    setpgid(0, 0); // Ctrl-C goes to the parent alone, which asks the child to stop
    const std::string program = programPath();
    execl("/proc/self/exe", program.c_str(), "runner", static_cast<char *>(nullptr));
    _exit(127);
}

} // namespace

core::Result<std::unique_ptr<ChildRunner>> ChildRunner::start()
{
    std::array<int, 2> requests{};
    std::array<int, 2> events{};
    if (pipe2(requests.data(), O_CLOEXEC) != 0)
        return cannotStart();
    if (pipe2(events.data(), O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return cannotStart();
    }
    const pid_t process = fork();
    if (process == 0)
        becomeRunner(requests[0], events[1]);
    close(requests[0]);
    close(events[1]);
    if (process < 0) {
        close(requests[1]);
        close(events[0]);
        return cannotStart();
    }
    return std::unique_ptr<ChildRunner>(new ChildRunner(process, requests[1], events[0]));
}

ChildRunner::ChildRunner(int process, int toChild, int fromChild)
    : m_process(process), m_toChild(toChild), m_fromChild(fromChild)
{
}

ChildRunner::~ChildRunner()
{
    close(m_toChild); // the end of its input tells the child to stop
    if (m_process > 0) {
        int status = 0;
        for (int waited = 0; waited < kPatienceMs; waited += 10) {
            if (waitpid(m_process, &status, WNOHANG) == m_process) {
                m_process = -1;
                break;
            }
            usleep(10'000);
        }
    }
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
    }
    close(m_fromChild);
}

bool ChildRunner::send(const core::RunnerRequest &request)
{
    const std::string line = core::encode(request) + "\n";
    std::size_t sent = 0;
    while (sent < line.size()) {
        const ssize_t wrote = write(m_toChild, line.data() + sent, line.size() - sent);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        sent += static_cast<std::size_t>(wrote);
    }
    return true;
}

std::optional<std::string> ChildRunner::takeLine()
{
    const std::size_t end = m_buffer.find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    std::string line = m_buffer.substr(0, end);
    m_buffer.erase(0, end + 1);
    return line;
}

ChildRunner::Wait ChildRunner::next(int interruptDescriptor, core::RunnerEvent &event)
{
    while (true) {
        while (auto line = takeLine()) {
            auto decoded = core::decodeEvent(*line);
            if (!decoded)
                continue; // not ours: a library that writes to standard output
            event = std::move(*decoded);
            return Wait::event;
        }
        std::array<pollfd, 2> watched{{{m_fromChild, POLLIN, 0}, {interruptDescriptor, POLLIN, 0}}};
        const int ready = poll(watched.data(), watched.size(), kSilenceMs);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return Wait::silent;
        if ((watched[1].revents & POLLIN) != 0)
            return Wait::interrupted;
        std::array<char, 65536> bytes{};
        const ssize_t got = read(m_fromChild, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || m_buffer.size() > kLongestLine)
            return Wait::closed;
        m_buffer.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

void ChildRunner::kill()
{
    if (m_process > 0)
        ::kill(m_process, SIGKILL);
}

std::string ChildRunner::ending()
{
    if (m_process <= 0)
        return "has ended";
    int status = 0;
    while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) { }
    m_process = -1;
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        const std::string name = "signal " + std::to_string(number) + ", " + strsignal(number);
        return number == SIGKILL ? "was killed, probably out of memory (" + name + ")" : "crashed (" + name + ")";
    }
    return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace remat::app
