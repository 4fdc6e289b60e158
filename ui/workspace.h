// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QUndoStack>

#include "models/analysis.h"
#include "models/setup_model.h"
#include "runner/run_controller.h"

namespace remat::ui {

enum class Page { welcome, setup, explore, timeline, layers, history };

/// Everything of the window that is no widget: the shared selection, the session, the setup, the runner, the history of
/// drops; and what is done with them: open, measure, stop. Made by the composition; GUI thread.
class Workspace : public QObject
{
    Q_OBJECT
public:
    explicit Workspace(RunnerCommand runner, QObject *parent = nullptr);

    Selection selection;
    SessionDocument document;
    Analysis analysis;
    SetupModel setup;
    RunController runs;
    QUndoStack undo;

    /// A config, a folder with one, a bundled example, or a session: told apart by content.
    void open(const QString &path);
    [[nodiscard]] QStringList recent() const;

    /// Measures strategies of the setup into the open session, or into a new one.
    void measure(const std::vector<core::Strategy> &strategies);
    void measureOne(const QString &strategy);
    void stop() { runs.cancel(); }
    /// Why nothing can be measured, empty where it can.
    [[nodiscard]] QString measureProblem() const;

    /// A handle was let go on a strategy: one step of the history.
    void drop(const QString &strategy, bool byKey);
    void showRun(qint64 workload, const QString &strategy);
    void saveCopy(const QString &path);

    /// What stands left in the status bar, right in it, and how far the sweep is (negative: nothing runs).
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] QString trustText() const;
    [[nodiscard]] double progressShare() const;

    /// New sessions go here instead of the documents folder; for tests and portable set-ups.
    void setSessionFolder(const QString &folder) { m_folder = folder; }
    void askDevices();

Q_SIGNALS:
    void pageWanted(remat::ui::Page page);
    void message(const QString &text);
    void statusChanged();
    void recentChanged();

private:
    void setupConnections();
    void openSession(const QString &path);
    void openConfig(const QString &path);
    void remember(const QString &path);
    void followSession();
    void chooseIfUntouched();
    void onFinished(const QString &status);
    [[nodiscard]] QString phaseSentence(const core::Progress &progress) const;

    QString m_folder;
    QString m_sessionPath;
    QString m_note;
    QString m_autoChosen;
};

} // namespace remat::ui
