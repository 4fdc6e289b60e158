// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/lock_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace remat::core {

namespace {

/// True where the open file is still the one that the path names: its last holder may have removed it meanwhile.
bool stillNamed(int descriptor, const std::string &path)
{
    struct stat opened
    {
    };
    struct stat named
    {
    };
    return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino
        && opened.st_dev == named.st_dev;
}

} // namespace

Result<LockFile> LockFile::take(const std::string &session)
{
    const std::string path = session + ".lock";
    while (true) {
        // Without O_CLOEXEC a child started meanwhile would keep the lock after we are gone.
        const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0) {
            return Error{ErrorCode::failed,
                         "The session " + quoteText(session, 200)
                             + " cannot be written: its lock file could not be made (" + std::strerror(errno)
                             + "); choose a folder you can write."};
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int reason = errno;
            close(descriptor);
            if (reason == EWOULDBLOCK) {
                return Error{ErrorCode::failed,
                             "The session " + quoteText(session, 200)
                                 + " is being written by another measurement; wait for it or choose another session."};
            }
            return Error{ErrorCode::failed,
                         "The session " + quoteText(session, 200) + " cannot be locked (" + std::strerror(reason)
                             + "); choose a folder on a local disk."};
        }
        if (stillNamed(descriptor, path))
            return LockFile(descriptor, path);
        close(descriptor);
    }
}

LockFile::LockFile(LockFile &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_path(std::move(other.m_path))
{
}

LockFile &LockFile::operator=(LockFile &&other) noexcept
{
    if (this != &other) {
        release();
        m_descriptor = std::exchange(other.m_descriptor, -1);
        m_path = std::move(other.m_path);
    }
    return *this;
}

LockFile::~LockFile()
{
    release();
}

void LockFile::release()
{
    if (m_descriptor < 0)
        return;
    unlink(m_path.c_str()); // while still locked: whoever opened it meanwhile sees that it is no longer named
    close(m_descriptor);
    m_descriptor = -1;
}

} // namespace remat::core
