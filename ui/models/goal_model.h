// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QObject>

#include "advice/goal.h"
#include "models/latest_task.h"
#include "models/session_document.h"
#include "models/setup_model.h"
#include "models/time_source.h"

namespace remat::ui {

/// A goal and its answer: what to run so that a step fits, is fastest, or sees the longest sequence, within so many bytes.
/// Answered on another thread when asked; an answer stands until the setup becomes another one. GUI thread.
class GoalModel : public QObject
{
    Q_OBJECT
public:
    GoalModel(SetupModel &setup, const SessionDocument &document, QObject *parent = nullptr);

    /// `budget` as people write it: "24 GiB".
    void ask(core::GoalKind kind, const QString &budget, const TimeSource &times);
    void stop();

    [[nodiscard]] bool busy() const { return m_task.busy(); }
    [[nodiscard]] const std::optional<core::GoalAnswer> &answer() const { return m_answer; }
    /// Why there is no answer; one sentence, empty where nothing is wrong.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    /// How far the expected peak and the expected time are to be trusted.
    [[nodiscard]] QString trust() const;
    /// What to type; empty where nothing is to be run.
    [[nodiscard]] QString command() const;
    /// Batch and sequence length of the answer become the setup's; the strategy to list is told.
    void takeOver();

    /// The open session probed the workload of the setup.
    [[nodiscard]] bool hasProbe() const;

Q_SIGNALS:
    void changed();
    void strategyWanted(const QString &strategy);

private:
    void forgetIfOther();
    void fail(const QString &problem);
    [[nodiscard]] core::Result<core::CostsAt> costsOf(const TimeSource &times, core::GoalKind kind) const;
    [[nodiscard]] QString configWords() const;

    SetupModel &m_setup;
    const SessionDocument &m_document;
    LatestTask m_task;
    TimeSource m_times;
    std::string m_asked; // what the question was about
    std::optional<core::GoalAnswer> m_answer;
    QString m_problem;
};

} // namespace remat::ui
