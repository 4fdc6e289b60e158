// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "runner/runner_link.h"

#include <QFileInfo>

namespace remat::ui {

namespace {

constexpr int kGraceMs = 3000;
constexpr qsizetype kLongestLine = 4 * 1024 * 1024;

} // namespace

RunnerLink::RunnerLink(const RunnerCommand &command, QObject *parent) : QObject(parent)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kGraceMs);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &RunnerLink::readLines);
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
        m_errors += m_process.readAllStandardError();
        m_errors = m_errors.right(2000);
    });
    connect(&m_process, &QProcess::finished, this, &RunnerLink::onFinished);
    connect(&m_process, &QProcess::errorOccurred, this,
            [this, program = command.program](QProcess::ProcessError error) {
                if (error == QProcess::FailedToStart)
                    Q_EMIT ended(tr("The runner %1 cannot be started: %2. Build it, or set REMAT_RUNNER to its path.")
                                     .arg(program, m_process.errorString()));
            });
    connect(&m_patience, &QTimer::timeout, this, [this] {
        // First a request of the system, then no request any more.
        if (m_process.state() == QProcess::NotRunning)
            return;
        if (m_process.property("terminated").toBool()) {
            m_process.kill();
            return;
        }
        m_process.setProperty("terminated", true);
        m_process.terminate();
        m_patience.start();
    });
    m_process.start(command.program, command.arguments);
}

RunnerLink::~RunnerLink()
{
    m_process.disconnect(this);
    m_patience.stop();
    if (m_process.state() == QProcess::NotRunning)
        return;
    core::RunnerRequest cancel;
    cancel.command = core::RunnerRequest::Command::cancel;
    send(cancel);
    core::RunnerRequest request;
    request.command = core::RunnerRequest::Command::quit;
    send(request);
    m_process.closeWriteChannel();
    if (m_process.waitForFinished(1500))
        return;
    m_process.terminate();
    if (m_process.waitForFinished(1000))
        return;
    m_process.kill();
    m_process.waitForFinished(1000);
}

void RunnerLink::send(const core::RunnerRequest &request)
{
    const std::string line = core::encode(request) + '\n';
    m_process.write(line.data(), static_cast<qint64>(line.size()));
}

void RunnerLink::quit()
{
    m_quitting = true;
    core::RunnerRequest request;
    request.command = core::RunnerRequest::Command::quit;
    send(request);
    m_process.closeWriteChannel();
    m_patience.start();
}

void RunnerLink::kill()
{
    m_quitting = true;
    m_process.kill();
}

void RunnerLink::expectEnd()
{
    m_quitting = true;
    m_patience.start();
}

void RunnerLink::readLines()
{
    m_pending += m_process.readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end; (end = m_pending.indexOf('\n', begin)) >= 0; begin = end + 1) {
        const QByteArray line = m_pending.mid(begin, end - begin).trimmed();
        if (line.isEmpty())
            continue;
        auto event = core::decodeEvent({line.constData(), static_cast<std::size_t>(line.size())});
        if (event)
            Q_EMIT eventArrived(*event);
        else
            Q_EMIT garbageArrived(QString::fromStdString(event.error().message));
    }
    m_pending.remove(0, begin);
    if (m_pending.size() > kLongestLine) {
        m_pending.clear();
        Q_EMIT garbageArrived(tr("The runner sent a line without end; it was dropped."));
    }
}

void RunnerLink::onFinished(int exitCode, QProcess::ExitStatus status)
{
    readLines();
    m_patience.stop();
    if (m_quitting) {
        Q_EMIT ended({});
        return;
    }
    QString reason = status == QProcess::CrashExit ? tr("The runner was ended by signal %1").arg(exitCode)
                                                   : tr("The runner ended with code %1").arg(exitCode);
    const QString last = QString::fromUtf8(m_errors).trimmed().section(QLatin1Char('\n'), -1);
    reason += last.isEmpty() ? QStringLiteral(".") : QStringLiteral(": ") + last;
    Q_EMIT ended(reason);
}

} // namespace remat::ui
