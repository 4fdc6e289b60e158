// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>

#include "store/session.h"

namespace remat::ui {

/// Everything that a document needs in order to show runs: a session file, or a set of runs made by a test.
/// Owned by the document; used from the GUI thread, one connection.
class SessionReader
{
public:
    virtual ~SessionReader() = default;

    [[nodiscard]] virtual QString path() const = 0;
    /// Changes when there is something new to read.
    [[nodiscard]] virtual core::Result<std::int64_t> version() const = 0;
    [[nodiscard]] virtual core::Result<std::vector<core::StoredWorkload>> workloads() const = 0;
    [[nodiscard]] virtual core::Result<std::vector<core::StoredRun>> runs() const = 0;
    [[nodiscard]] virtual core::Result<core::Schedule> schedule(std::int64_t run) const = 0;
    [[nodiscard]] virtual core::Result<core::Recording> recording(std::int64_t run) const = 0;
    /// Blocks that the run's recorded step kept for its backward.
    [[nodiscard]] virtual core::Result<std::vector<core::KeptBlock>> keptBlocks(std::int64_t run) const = 0;
    [[nodiscard]] virtual core::Result<std::optional<core::ChainCosts>> costs(std::int64_t workload) const = 0;
};

/// A session file; the error is one sentence for the user.
[[nodiscard]] core::Result<std::unique_ptr<SessionReader>> openSessionReader(const QString &path);

} // namespace remat::ui
