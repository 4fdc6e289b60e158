// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/run_observer.h"
#include "model/workload.h"

namespace remat::core {

/// A model and a workload that runs of a session share.
struct StoredWorkload
{
    std::int64_t id = 0;
    ModelConfig model;
    Workload workload;
    std::string hash; // workloadHash(model, workload)
};

/// A run as the session lists it; recording and schedule are read apart.
struct StoredRun
{
    std::int64_t workload = 0;
    Point point;
    std::string startedAt; // UTC, ISO 8601
    std::string note;
    bool starred = false;
    bool hidden = false;
};

/// What `check` finds.
struct SessionCheck
{
    bool ok = false;
    int schema = 0;
    int runs = 0;
    std::vector<std::string> problems;
};

/// Is it a file of SQLite's format? Then it is taken for a session, whatever its name. Nothing else is checked.
[[nodiscard]] bool looksLikeSession(const std::string &path);

/// Read access to a session file, and to the tables that users write (notes, stars, hidden runs). One connection,
/// used from the thread that opened it; read transactions are short. Untrusted input: everything is checked.
class Session
{
public:
    /// Opens an existing file. Errors: not there, no session (foreign file), damaged, locked for too long. A file of a
    /// newer program opens read-only; writableNote() then says so. A folder that cannot be written is no obstacle.
    [[nodiscard]] static Result<Session> open(const std::string &path);

    Session(Session &&) noexcept;
    Session &operator=(Session &&) noexcept;
    ~Session();

    [[nodiscard]] const std::string &path() const;
    [[nodiscard]] bool writable() const;
    [[nodiscard]] const std::string &writableNote() const;

    [[nodiscard]] Result<std::vector<StoredWorkload>> workloads() const;
    [[nodiscard]] Result<std::vector<StoredRun>> runs() const;
    [[nodiscard]] Result<Schedule> schedule(std::int64_t run) const;
    /// Empty recording where the run has none.
    [[nodiscard]] Result<Recording> recording(std::int64_t run) const;
    /// Blocks that the run's recorded step kept for its backward; empty where the run has no recording.
    [[nodiscard]] Result<std::vector<KeptBlock>> keptBlocks(std::int64_t run) const;
    [[nodiscard]] Result<std::optional<ChainCosts>> costs(std::int64_t workload) const;

    /// Changes when another connection committed; poll it to follow a running sweep.
    [[nodiscard]] Result<std::int64_t> dataVersion() const;

    [[nodiscard]] Result<void> setNote(std::int64_t run, const std::string &note);
    [[nodiscard]] Result<void> setStarred(std::int64_t run, bool starred);
    [[nodiscard]] Result<void> setHidden(std::int64_t run, bool hidden);

    /// A copy in rollback mode (VACUUM INTO), to be handed on.
    [[nodiscard]] Result<void> saveCopy(const std::string &path) const;

    /// integrity_check, foreign keys, whole runs, decodable chunks.
    [[nodiscard]] static Result<SessionCheck> check(const std::string &path);

private:
    struct Private;
    explicit Session(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace remat::core
