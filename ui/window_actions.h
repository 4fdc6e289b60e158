// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "workspace.h"

class QAction;
class QMainWindow;
class QMenu;

namespace remat::ui {

class ThemeController;

/// The actions of the window with their keys, and the menu that lists them. GUI thread.
class WindowActions : public QObject
{
    Q_OBJECT
public:
    WindowActions(QMainWindow &window, Workspace &workspace, ThemeController &theme);

    [[nodiscard]] QMenu *menu() const { return m_menu; }
    QAction *measure = nullptr;
    QAction *stop = nullptr;

    void openDialog(bool session);

Q_SIGNALS:
    void pageWanted(remat::ui::Page page);
    void copyWanted();

private:
    QAction *add(const QString &text, const QKeySequence &keys);
    void setupFile();
    void setupEdit();
    void setupView();
    void setupHelp();
    void fillRecent();
    void enable();
    void saveCopyDialog();
    void showKeys();
    void showAbout();

    QMainWindow &m_window;
    Workspace &m_workspace;
    ThemeController &m_theme;
    QMenu *m_menu = nullptr;
    QMenu *m_recent = nullptr;
    QAction *m_saveCopy = nullptr;
};

} // namespace remat::ui
