// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace remat::core {

/// The writer lock of a session: an advisory lock on "<session>.lock", held while the object lives. The kernel drops it
/// when the process dies, so a lock is never stale. Any thread, one at a time.
class LockFile
{
public:
    /// An Error with a sentence where another process (or another object of this one) holds the lock.
    [[nodiscard]] static Result<LockFile> take(const std::string &session);

    LockFile(LockFile &&other) noexcept;
    LockFile &operator=(LockFile &&other) noexcept;
    ~LockFile();

private:
    LockFile(int descriptor, std::string path) : m_descriptor(descriptor), m_path(std::move(path)) { }
    void release();

    int m_descriptor = -1;
    std::string m_path;
};

} // namespace remat::core
