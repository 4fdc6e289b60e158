// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "measure/run_observer.h"
#include "measure/sweep_loop.h"

namespace remat::core {

/// The one writer of a session's measured tables: a RunObserver that stores a sweep. Holds the writer lock from open to
/// destruction; a second writer is refused with a sentence. Taking the lock first marks runs that a dead writer left
/// `running` as `interrupted`. Events, facts and final status of a run are written in one transaction. One thread.
class SessionWriter final : public RunObserver
{
public:
    /// Opens or creates the file and takes the lock. Errors: locked by another writer, foreign or newer file, folder
    /// not writable, disk full. `leftOpen` is the reason given to runs that a dead writer left (empty: a general one);
    /// the parent of a runner that died knows the signal.
    [[nodiscard]] static Result<std::unique_ptr<SessionWriter>> open(const std::string &path,
                                                                     const std::string &leftOpen = {});
    ~SessionWriter() override;

    /// Must come before the sweep: stores model and workload, or finds them.
    [[nodiscard]] Result<std::int64_t> beginSweep(const SweepPlan &plan);

    void progress(const Progress &progress) override;
    Result<void> costs(const ChainCosts &costs) override;
    Result<std::int64_t> started(const Point &point, const Schedule &schedule) override;
    Result<void> finished(const FinishedRun &run) override;

    /// Marks runs still `running` with `status` and a reason; for the parent of a runner that died.
    [[nodiscard]] Result<int> closeOpenRuns(RunStatus status, const std::string &reason);

private:
    struct Private;
    explicit SessionWriter(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace remat::core
