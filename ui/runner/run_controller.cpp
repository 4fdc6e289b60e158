// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "runner/run_controller.h"

#include <QFileInfo>

#include "store/session_writer.h"

namespace remat::ui {

namespace {

constexpr std::int64_t kSweepId = 1;

} // namespace

RunController::RunController(RunnerCommand command, QObject *parent)
    : QObject(parent), m_command(std::move(command)) { }

RunController::~RunController()
{
    if (m_link)
        m_link->disconnect(this);
}

bool RunController::available() const
{
    return QFileInfo(m_command.program).isExecutable();
}

void RunController::measure(const core::SweepPlan &plan, const QString &session)
{
    if (busy())
        return;
    m_session = session;
    m_progress = {};
    m_link = std::make_unique<RunnerLink>(m_command);
    connect(m_link.get(), &RunnerLink::eventArrived, this, &RunController::onEvent);
    connect(m_link.get(), &RunnerLink::garbageArrived, this, &RunController::noted);
    // Queued: the link must not be deleted while it is the one that speaks.
    connect(m_link.get(), &RunnerLink::ended, this, &RunController::onEnded, Qt::QueuedConnection);
    setState(State::starting);
    core::RunnerRequest request;
    request.id = kSweepId;
    request.command = core::RunnerRequest::Command::sweep;
    request.session = session.toStdString();
    request.plan = plan;
    m_link->send(request);
}

void RunController::cancel()
{
    if (!m_link || m_state == State::cancelling || m_state == State::idle)
        return;
    setState(State::cancelling);
    core::RunnerRequest request;
    request.id = kSweepId;
    request.command = core::RunnerRequest::Command::cancel;
    m_link->send(request);
    m_link->expectEnd();
}

void RunController::setState(State state)
{
    if (m_state == state)
        return;
    m_state = state;
    Q_EMIT stateChanged();
}

void RunController::onEvent(const core::RunnerEvent &event)
{
    switch (event.kind) {
    case core::RunnerEvent::Kind::accepted:
        if (m_state == State::starting)
            setState(State::running);
        Q_EMIT accepted();
        break;
    case core::RunnerEvent::Kind::progress:
        m_progress = event.progress;
        Q_EMIT progressed();
        break;
    case core::RunnerEvent::Kind::costs:
        Q_EMIT costsArrived(event.costs);
        break;
    case core::RunnerEvent::Kind::point:
        Q_EMIT pointArrived(event.point);
        break;
    case core::RunnerEvent::Kind::done:
        release();
        Q_EMIT finished(QString::fromStdString(event.status));
        break;
    case core::RunnerEvent::Kind::error:
        release();
        if (event.error.code == core::ErrorCode::cancelled)
            Q_EMIT finished(QStringLiteral("cancelled"));
        else
            Q_EMIT failed(QString::fromStdString(event.error.message));
        break;
    default:
        break;
    }
}

/// Lets the runner go: it is asked to quit and forgotten; its memory is free again at once.
void RunController::release()
{
    if (m_link) {
        m_link->disconnect(this);
        RunnerLink *link = m_link.release();
        link->setParent(this);
        connect(link, &RunnerLink::ended, link, &QObject::deleteLater);
        link->quit();
    }
    setState(State::idle);
}

void RunController::onEnded(const QString &reason)
{
    const bool cancelled = m_state == State::cancelling;
    m_link.reset();
    const QString why = reason.isEmpty() ? tr("The runner did not end by itself after Stop and was ended.") : reason;
    if (!m_session.isEmpty() && QFileInfo::exists(m_session)) {
        // Taking the lock is what marks the runs that the dead runner left; the writer itself has nothing to write.
        const auto writer = core::SessionWriter::open(m_session.toStdString(), why.toStdString());
        if (!writer)
            Q_EMIT noted(QString::fromStdString(writer.error().message));
    }
    setState(State::idle);
    if (cancelled)
        Q_EMIT finished(QStringLiteral("cancelled"));
    else
        Q_EMIT failed(why);
}

void askForDevices(const RunnerCommand &command, QObject *context,
                   std::function<void(std::vector<core::DeviceInfo>)> answer)
{
    auto *link = new RunnerLink(command, context);
    QObject::connect(link, &RunnerLink::eventArrived, context,
                     [link, answer = std::move(answer)](const core::RunnerEvent &event) {
                         if (event.kind != core::RunnerEvent::Kind::devices)
                             return;
                         answer(event.devices);
                         link->quit();
                     });
    QObject::connect(link, &RunnerLink::ended, link, &QObject::deleteLater, Qt::QueuedConnection);
    core::RunnerRequest request;
    request.command = core::RunnerRequest::Command::devices;
    link->send(request);
}

} // namespace remat::ui
