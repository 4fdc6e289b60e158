// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/latest_task.h"

#include <utility>

namespace remat::ui {

LatestTask::LatestTask(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
}

LatestTask::~LatestTask()
{
    m_stop.request_stop();
    m_pool.waitForDone();
}

void LatestTask::start(Work work)
{
    ++m_newest;
    m_wanted = true;
    m_next = std::move(work);
    m_stop.request_stop();
    if (!m_running)
        launch();
}

void LatestTask::cancel()
{
    ++m_newest;
    m_wanted = false;
    m_next = {};
    m_stop.request_stop();
}

void LatestTask::launch()
{
    m_running = true;
    m_stop = {};
    m_pool.start([this, number = m_newest, stop = m_stop.get_token(), work = std::exchange(m_next, {})] {
        const Deliver deliver = [this, number](std::function<void()> show) {
            QMetaObject::invokeMethod(
                this,
                [this, number, show = std::move(show)] {
                    if (number == m_newest)
                        show();
                },
                Qt::QueuedConnection);
        };
        work(stop, deliver);
        QMetaObject::invokeMethod(
            this, [this, number] { onEnded(number); }, Qt::QueuedConnection);
    });
}

void LatestTask::onEnded(quint64 number)
{
    m_running = false;
    if (m_next) {
        launch();
    } else if (number == m_newest) {
        m_wanted = false;
        Q_EMIT settled();
    }
}

} // namespace remat::ui
