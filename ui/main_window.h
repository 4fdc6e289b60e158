// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QMainWindow>

#include "workspace.h"

class QPushButton;
class QStackedWidget;

namespace remat::ui {

class ChipBar;
class ExplorePage;
class HistoryPage;
class LayersPage;
class MessageStrip;
class SetupPage;
class SideBar;
class StatusStrip;
class ThemeController;
class TimelinePage;
class WelcomePage;
class WindowActions;

/// The window: tool bar, pages, status. It wires and shows; what is done is done by the workspace. GUI thread.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    MainWindow(Workspace &workspace, ThemeController &theme, QWidget *parent = nullptr);
    ~MainWindow() override;

    void showPage(Page page);
    [[nodiscard]] Page page() const;
    [[nodiscard]] ExplorePage *explore() const { return m_explore; }
    [[nodiscard]] SetupPage *setupPage() const { return m_setup; }
    [[nodiscard]] TimelinePage *timelinePage() const { return m_timeline; }
    [[nodiscard]] MessageStrip *messages() const { return m_message; }
    [[nodiscard]] StatusStrip *status() const { return m_status; }

    /// Asked once when the window is closed while something runs; true closes.
    void setCloseQuestion(std::function<bool()> question) { m_closeQuestion = std::move(question); }

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    [[nodiscard]] QWidget *makeToolBar();
    void setupPages();
    void setupLayout();
    void setupConnections();
    void updateChips();
    void updateStatus();
    void measureAll();
    void copy();

    Workspace &m_workspace;
    WindowActions *m_actions = nullptr;
    ChipBar *m_chips = nullptr;
    QPushButton *m_measure = nullptr;
    QPushButton *m_stop = nullptr;
    SideBar *m_sideBar = nullptr;
    QStackedWidget *m_pages = nullptr;
    WelcomePage *m_welcome = nullptr;
    SetupPage *m_setup = nullptr;
    ExplorePage *m_explore = nullptr;
    TimelinePage *m_timeline = nullptr;
    LayersPage *m_layers = nullptr;
    HistoryPage *m_history = nullptr;
    MessageStrip *m_message = nullptr;
    StatusStrip *m_status = nullptr;
    std::function<bool()> m_closeQuestion;
};

/// Makes the icons and example configs of the program available; before the first window.
void initResources();

} // namespace remat::ui
