// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace remat::ui {

/// Where everything starts: open a config, open a session, take an example, or a recent file. GUI thread.
class WelcomePage : public QWidget
{
    Q_OBJECT
public:
    explicit WelcomePage(QWidget *parent = nullptr);
    void setRecent(const QStringList &paths);

Q_SIGNALS:
    void configWanted();
    void sessionWanted();
    /// An example (a resource path) or a recent file.
    void fileChosen(const QString &path);

private:
    [[nodiscard]] QWidget *makeChoices();
    [[nodiscard]] QWidget *makeChoice(const char *icon, const QString &title, const QString &text,
                                      void (WelcomePage::*signal)());

    QVBoxLayout *m_recent = nullptr;
    QWidget *m_recentCard = nullptr;
};

} // namespace remat::ui
