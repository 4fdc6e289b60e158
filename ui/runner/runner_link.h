// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include "measure/runner_message.h"

namespace remat::ui {

/// How to start a runner: the program and its arguments.
struct RunnerCommand
{
    QString program;
    QStringList arguments{QStringLiteral("runner")};
};

/// One runner process: lines out, decoded events in. Ends it politely and then for sure, in its destructor too.
/// GUI thread.
class RunnerLink : public QObject
{
    Q_OBJECT
public:
    explicit RunnerLink(const RunnerCommand &command, QObject *parent = nullptr);
    ~RunnerLink() override;

    void send(const core::RunnerRequest &request);
    /// Asks the runner to end: "quit", then terminate after 3 s, then kill after 3 s more.
    void quit();
    /// Ends the process at once: for work of which nothing is kept.
    void kill();
    /// Terminates after a grace period unless the process ended; for a cancel that is not heeded.
    void expectEnd();

Q_SIGNALS:
    void eventArrived(const remat::core::RunnerEvent &event);
    /// A line that is no message; the text says which.
    void garbageArrived(const QString &text);
    /// The process is gone; `reason` is a sentence where that was not asked for, else empty.
    void ended(const QString &reason);

private:
    void readLines();
    void onFinished(int exitCode, QProcess::ExitStatus status);

    QProcess m_process;
    QByteArray m_pending;
    QByteArray m_errors;
    QTimer m_patience;
    bool m_quitting = false;
};

} // namespace remat::ui
