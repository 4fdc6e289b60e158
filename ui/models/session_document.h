// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "models/session_reader.h"

namespace remat::ui {

/// The session that the window shows: a copy of its lists, recordings on demand, and what the runner says before it is in
/// the file. One workload of it is current. Owned by the composition; GUI thread.
class SessionDocument : public QObject
{
    Q_OBJECT
public:
    explicit SessionDocument(QObject *parent = nullptr);
    ~SessionDocument() override;

    /// Shows another source; null shows nothing. The error is the reader's and leaves the document as it was.
    core::Result<void> setReader(std::unique_ptr<SessionReader> reader);

    [[nodiscard]] bool isOpen() const { return m_reader != nullptr; }
    [[nodiscard]] QString path() const;

    [[nodiscard]] const std::vector<core::StoredWorkload> &workloads() const { return m_workloads; }
    [[nodiscard]] const core::StoredWorkload *current() const;
    void setCurrent(std::int64_t workload);

    [[nodiscard]] const std::vector<core::StoredRun> &runs() const { return m_runs; }
    /// Points of the current workload: the newest final one a strategy, hidden runs left out, live ones included.
    [[nodiscard]] const std::vector<core::Point> &points() const { return m_points; }
    [[nodiscard]] const core::Point *point(const QString &strategy) const;
    [[nodiscard]] const std::optional<core::ChainCosts> &costs() const { return m_costs; }
    /// What the strategy runs: plans as their run stored them, rules as they are; empty where neither is known.
    [[nodiscard]] std::optional<core::Schedule> schedule(const QString &strategy) const;
    /// Null where the strategy has no recorded step.
    [[nodiscard]] std::shared_ptr<const core::Recording> recording(const QString &strategy) const;
    /// What the strategy's recorded step kept for its backward; empty where it has none.
    [[nodiscard]] std::vector<core::KeptBlock> keptBlocks(const QString &strategy) const;
    [[nodiscard]] int layers() const { return shape().layers; }
    /// Of the current workload's chain; without layers where there is none.
    [[nodiscard]] core::ChainShape shape() const;

    /// Reads the file again; a cheap no-op when nothing was committed.
    core::Result<void> refresh();
    /// What the runner tells, shown at once and replaced by what the file says.
    void applyPoint(const core::Point &point);
    void applyCosts(const core::ChainCosts &costs);
    /// Runs that were being measured when the runner went away are no longer shown as running.
    void dropLive();

Q_SIGNALS:
    void opened();
    void pointsChanged();

private:
    core::Result<void> readAll();
    void rebuildPoints();

    std::unique_ptr<SessionReader> m_reader;
    std::vector<core::StoredWorkload> m_workloads;
    std::vector<core::StoredRun> m_runs;
    std::vector<core::Point> m_points;
    std::vector<core::Point> m_live;
    std::optional<core::ChainCosts> m_costs;
    std::int64_t m_current = 0;
    std::int64_t m_version = -1;
    mutable std::map<std::int64_t, std::shared_ptr<const core::Recording>> m_recordings;
};

} // namespace remat::ui
