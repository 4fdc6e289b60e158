// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "advice/levers.h"
#include "advice/reach.h"
#include "models/latest_task.h"
#include "models/setup_model.h"
#include "models/text_table_model.h"

namespace remat::ui {

/// The largest batch and the longest sequence of each strategy within a budget. A plain value.
struct ReachAnswer
{
    core::ReachTable batches;
    core::ReachTable lengths;
};

/// Any thread. Errors: those of core::reachOf.
[[nodiscard]] core::Result<ReachAnswer> reachAnswer(const core::ModelConfig &model, const core::Workload &workload,
                                                    core::Bytes budget, const core::CostsAt &costsAt);

/// What limits the setup and what lowers its peak, and how far strategies reach within a budget: by formula, with times of
/// a device's published peaks; those of levers can be probed. Two questions, each answered on another thread when asked, the newest wins; until then the
/// answer from before stands. GUI thread.
class LimitsModel : public QObject
{
    Q_OBJECT
public:
    enum LeverColumn { Option, Peak, SmallestPeak, Step, Change };
    enum ReachColumn { Strategy, Batch, BatchPeak, BatchRate, Length, LengthPeak, LengthRate };

    explicit LimitsModel(SetupModel &setup, QObject *parent = nullptr);

    /// Of the table of published peaks; for what is asked from now on.
    void setDevice(const QString &device) { m_device = device; }
    /// Nothing where the answer is of the same setup and device.
    void askLimits();
    /// `budget` as people write it: "24 GiB".
    void askReach(const QString &budget);

    [[nodiscard]] bool busyLimits() const { return m_limitsTask.busy(); }
    [[nodiscard]] bool busyReach() const { return m_reachTask.busy(); }
    [[nodiscard]] const std::optional<core::Limits> &limits() const { return m_limits; }
    [[nodiscard]] const std::optional<ReachAnswer> &reach() const { return m_reach; }
    /// Why there is no answer; one sentence, empty where nothing is wrong.
    [[nodiscard]] const QString &limitsProblem() const { return m_limitsProblem; }
    [[nodiscard]] const QString &reachProblem() const { return m_reachProblem; }

    /// Whether checkpointing matters and what sets the floor, most important first.
    [[nodiscard]] QStringList verdicts() const;
    /// Whether recomputing for a larger batch pays.
    [[nodiscard]] QString crossing() const;
    /// How far peaks and times of the levers are to be trusted, and those of the reach.
    [[nodiscard]] QString trust() const;
    [[nodiscard]] QString reachTrust() const;
    /// A lever and a strategy a row, in the order of limits() and reach().
    [[nodiscard]] TextTableModel *levers() const { return m_levers; }
    [[nodiscard]] TextTableModel *reaches() const { return m_reaches; }

    /// What limits() speaks of.
    [[nodiscard]] const core::ModelConfig &askedModel() const { return m_askedModel; }
    /// The setup as it was asked about, then with each lever.
    [[nodiscard]] std::vector<core::Workload> pricedWorkloads() const;
    /// What `none` takes by costs probed on the device, and how much longer with each lever: the limits' own times give
    /// way. 0: it cannot be run.
    void takePrices(core::Nanoseconds step, const std::vector<double> &factors);

    /// The lever of that row becomes part of the setup; everything else of it stays as it is.
    void pull(int row);

Q_SIGNALS:
    void limitsChanged();
    void reachChanged();

private:
    void takeLimits(core::Result<core::Limits> limits);
    [[nodiscard]] std::vector<TextTableModel::Row> leverRows() const;
    void takeReach(core::Result<ReachAnswer> reach);
    [[nodiscard]] TextTableModel::Row rowOf(const core::Lever &lever) const;

    SetupModel &m_setup;
    QString m_device;
    LatestTask m_limitsTask;
    LatestTask m_reachTask;
    core::ModelConfig m_askedModel;
    core::Workload m_askedWorkload;
    QString m_askedDevice;
    QString m_reachDevice;
    std::optional<core::Limits> m_limits;
    std::optional<ReachAnswer> m_reach;
    QString m_limitsProblem;
    QString m_reachProblem;
    TextTableModel *m_levers = nullptr;
    TextTableModel *m_reaches = nullptr;
};

} // namespace remat::ui
