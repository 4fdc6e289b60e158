// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>

#include <QObject>
#include <QThreadPool>

namespace remat::ui {

/// Work that answers a question which may change while it is worked on: one piece at a time runs on another thread, of
/// those that wait only the newest is kept, and only answers of the newest are delivered. What the work captures must be
/// values. Owned by who shows the answers; GUI thread, whose events deliver them. Its end waits for the work's.
class LatestTask : public QObject
{
    Q_OBJECT
public:
    /// Hands an answer over: `show` runs on the thread of this object, unless a newer start came before it.
    using Deliver = std::function<void(std::function<void()> show)>;
    using Work = std::function<void(std::stop_token stop, const Deliver &deliver)>;

    explicit LatestTask(QObject *parent = nullptr);
    ~LatestTask() override;

    void start(Work work);
    /// Forgets the question; no answer comes.
    void cancel();
    /// Something runs or waits whose answer is wanted.
    [[nodiscard]] bool busy() const { return m_wanted; }

Q_SIGNALS:
    /// The newest work has ended and everything it delivered was shown.
    void settled();

private:
    void launch();
    void onEnded(quint64 number);

    QThreadPool m_pool;
    std::stop_source m_stop;
    Work m_next;
    quint64 m_newest = 0; // number of the newest start or cancel
    bool m_running = false;
    bool m_wanted = false;
};

} // namespace remat::ui
