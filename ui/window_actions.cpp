// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>

#include "theme/theme_controller.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

WindowActions::WindowActions(QMainWindow &window, Workspace &workspace, ThemeController &theme)
    : QObject(&window), m_window(window), m_workspace(workspace), m_theme(theme)
{
    m_menu = new QMenu(&window);
    setupFile();
    setupEdit();
    setupView();
    setupHelp();
    connect(&workspace, &Workspace::statusChanged, this, &WindowActions::enable);
    connect(&workspace, &Workspace::recentChanged, this, &WindowActions::fillRecent);
    connect(&workspace.setup, &SetupModel::changed, this, &WindowActions::enable);
    fillRecent();
    enable();
}

QAction *WindowActions::add(const QString &text, const QKeySequence &keys)
{
    auto *action = new QAction(text, this);
    action->setShortcut(keys);
    m_window.addAction(action);
    m_menu->addAction(action);
    return action;
}

void WindowActions::setupFile()
{
    connect(add(tr("Open…"), QKeySequence::Open), &QAction::triggered, this, [this] { openDialog(false); });
    m_recent = m_menu->addMenu(tr("Open recent"));
    m_saveCopy = add(tr("Save a copy of the session…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    connect(m_saveCopy, &QAction::triggered, this, &WindowActions::saveCopyDialog);
    m_menu->addSeparator();
    measure = add(tr("Measure"), QKeySequence(Qt::Key_F5));
    stop = add(tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5));
    connect(stop, &QAction::triggered, &m_workspace, &Workspace::stop);
    m_menu->addSeparator();
}

void WindowActions::setupEdit()
{
    QAction *undo = m_workspace.undo.createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction *redo = m_workspace.undo.createRedoAction(this, tr("Redo"));
    redo->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
    m_window.addActions({undo, redo});
    m_menu->addActions({undo, redo});
    connect(add(tr("Copy plot and data"), QKeySequence::Copy), &QAction::triggered, this, &WindowActions::copyWanted);
    m_menu->addSeparator();
}

void WindowActions::setupView()
{
    QMenu *pages = m_menu->addMenu(tr("Go to"));
    const QString names[] = {tr("Setup"), tr("Explore"), tr("Timeline"), tr("Layers"), tr("History")};
    int key = Qt::Key_1;
    for (int i = 0; i < 5; ++i, ++key) {
        QAction *action = pages->addAction(names[i]);
        action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key)));
        m_window.addAction(action);
        connect(action, &QAction::triggered, this, [this, i] { Q_EMIT pageWanted(static_cast<Page>(i + 1)); });
    }
    connect(pages->addAction(tr("Welcome")), &QAction::triggered, this, [this] { Q_EMIT pageWanted(Page::welcome); });
    QMenu *theme = m_menu->addMenu(tr("Theme"));
    auto *group = new QActionGroup(this);
    const std::pair<QString, ThemeMode> modes[]
        = {{tr("As the system"), ThemeMode::system}, {tr("Light"), ThemeMode::light}, {tr("Dark"), ThemeMode::dark}};
    for (const auto &[name, mode] : modes) {
        QAction *action = theme->addAction(name);
        action->setCheckable(true);
        action->setChecked(m_theme.mode() == mode);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, chosen = mode] { m_theme.setMode(chosen); });
    }
    QAction *full = add(tr("Full screen"), QKeySequence(Qt::Key_F11));
    connect(full, &QAction::triggered, this,
            [this] { m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen); });
    m_menu->addSeparator();
}

void WindowActions::setupHelp()
{
    connect(add(tr("Keys"), QKeySequence(Qt::Key_F1)), &QAction::triggered, this, &WindowActions::showKeys);
    connect(add(tr("About Rematscope"), {}), &QAction::triggered, this, &WindowActions::showAbout);
    connect(add(tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q)), &QAction::triggered, &m_window, &QWidget::close);
}

void WindowActions::enable()
{
    measure->setEnabled(m_workspace.setup.hasModel() && m_workspace.runs.available() && !m_workspace.runs.busy());
    stop->setEnabled(m_workspace.runs.busy() && m_workspace.runs.state() != RunController::State::cancelling);
    m_saveCopy->setEnabled(m_workspace.document.isOpen());
}

void WindowActions::fillRecent()
{
    m_recent->clear();
    for (const QString &path : m_workspace.recent()) {
        QAction *action = m_recent->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { m_workspace.open(path); });
    }
    m_recent->setEnabled(!m_recent->isEmpty());
}

void WindowActions::openDialog(bool session)
{
    const QString configs = tr("Model configs (*.json)"), sessions = tr("Sessions (*.remat)"),
                  both = tr("Configs and sessions (*.json *.remat)");
    QString chosen = session ? sessions : both;
    const QString path = QFileDialog::getOpenFileName(
        &m_window, tr("Open a config or a session"), {},
        QStringList{both, configs, sessions, tr("All files (*)")}.join(";;"_L1), &chosen);
    if (!path.isEmpty())
        m_workspace.open(path);
}

void WindowActions::saveCopyDialog()
{
    const QString path
        = QFileDialog::getSaveFileName(&m_window, tr("Save a copy of the session"), {}, tr("Sessions (*.remat)"));
    if (!path.isEmpty())
        m_workspace.saveCopy(path.endsWith(".remat"_L1) ? path : path + ".remat"_L1);
}

void WindowActions::showKeys()
{
    const std::pair<QString, QString> rows[] = {
        {tr("F5 · Shift+F5"), tr("measure · stop")},
        {tr("← →  Home  End  digits"), tr("move the handle, on the curve and under the layers")},
        {tr("↑ ↓  PgUp  PgDn  Home  End  or 120m, Enter"), tr("move the budget line, or type where it goes")},
        {tr("Enter"), tr("measure what the handle stands on")},
        {tr("Esc"), tr("give up a drag, hide the cursor")},
        {tr("W S  or  + −"), tr("timeline: zoom in, out")},
        {tr("A D  or  ← →"), tr("timeline: pan")},
        {tr("0  or a double click"), tr("fit")},
        {tr("P"), tr("timeline: go to the peak")},
        {tr(",  ."), tr("timeline: previous, next event")},
        {tr("Ctrl+Z · Ctrl+Shift+Z"), tr("undo, redo a drop")},
        {tr("Ctrl+C"), tr("copy the plot as a picture and as a table")},
        {tr("Ctrl+1 … Ctrl+5"), tr("pages")},
        {tr("Ctrl+O · F11 · Ctrl+Q"), tr("open · full screen · quit")},
    };
    QString text = u"<table cellspacing='6'>"_s;
    for (const auto &[keys, what] : rows)
        text += u"<tr><td><b>%1</b></td><td>%2</td></tr>"_s.arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
    QMessageBox box(&m_window);
    box.setWindowTitle(tr("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(text + u"</table>"_s);
    box.exec();
}

void WindowActions::showAbout()
{
    QMessageBox::about(
        &m_window, tr("About Rematscope"),
        tr("<b>Rematscope %1</b><p>Shows what activation checkpointing costs and saves on a real Transformer training "
           "step.</p>"
           "<p>The window is free software under the GNU General Public License, version 3 or later; engine and "
           "command line are "
           "under the Apache License 2.0. Plots by QCustomPlot (GPL 3), user interface by Qt %2 (LGPL 3).</p>")
            .arg(QApplication::applicationVersion(), QString::fromLatin1(qVersion())));
}

} // namespace remat::ui
