// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "pages/curve_card.h"
#include "pages/explore_page.h"
#include "pages/history_page.h"
#include "pages/layers_page.h"
#include "pages/point_panel.h"
#include "pages/setup_page.h"
#include "pages/timeline_card.h"
#include "pages/timeline_page.h"
#include "pages/welcome_page.h"
#include "pages/workload_form.h"
#include "plots/memory_timeline_plot.h"
#include "plots/tradeoff_plot.h"
#include "theme/theme.h"
#include "widgets/card.h"
#include "widgets/chip_bar.h"
#include "widgets/icons.h"
#include "widgets/side_bar.h"
#include "widgets/strips.h"
#include "window_actions.h"
#include "workload_chips.h"

void initRematscopeResources()
{
    Q_INIT_RESOURCE(rematscope);
}

namespace remat::ui {

using namespace Qt::StringLiterals;

void initResources()
{
    initRematscopeResources();
}

MainWindow::MainWindow(Workspace &workspace, ThemeController &theme, QWidget *parent)
    : QMainWindow(parent), m_workspace(workspace)
{
    setWindowTitle(u"Rematscope"_s);
    setAcceptDrops(true);
    setMinimumSize(900, 620);
    m_actions = new WindowActions(*this, workspace, theme);
    setupPages();
    setupLayout();
    setupConnections();
    m_closeQuestion = [this] {
        return QMessageBox::question(this, tr("A measurement is running"),
                                     tr("Stop the measurement and close? What was finished is saved."))
            == QMessageBox::Yes;
    };
    const QByteArray geometry = QSettings().value(u"geometry"_s).toByteArray();
    if (geometry.isEmpty() || !restoreGeometry(geometry))
        resize(1440, 900);
    showPage(Page::welcome);
    updateChips();
    updateStatus();
}

MainWindow::~MainWindow() = default;

QWidget *MainWindow::makeToolBar()
{
    auto *bar = new QFrame(this);
    bar->setObjectName(u"toolBar"_s);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(18, 8, 16, 8);
    row->setSpacing(8);
    auto *name = new QLabel(u"Rematscope"_s, bar);
    name->setFont(themeFont(TextRole::title));
    row->addWidget(name);
    row->addSpacing(14);
    m_chips = new ChipBar(bar);
    row->addWidget(m_chips, 1);
    m_measure = new QPushButton(tr("Measure  F5"), bar);
    setRole(m_measure, "primary");
    m_stop = new QPushButton(tr("Stop"), bar);
    auto *more = new QToolButton(bar);
    more->setAccessibleName(tr("Menu"));
    more->setToolTip(tr("Menu"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setMenu(m_actions->menu());
    setRole(more, "menu");
    setIconName(*more, "more");
    row->addWidget(m_measure);
    row->addWidget(m_stop);
    row->addWidget(more);
    return bar;
}

void MainWindow::setupPages()
{
    m_pages = new QStackedWidget(this);
    m_welcome = new WelcomePage(this);
    m_setup = new SetupPage(m_workspace.setup, m_workspace.document, m_workspace.runs, this);
    m_explore = new ExplorePage(m_workspace.analysis, m_workspace.selection, this);
    m_timeline = new TimelinePage(m_workspace.analysis, m_workspace.selection, this);
    m_layers = new LayersPage(m_workspace.document, m_workspace.analysis, m_workspace.selection, this);
    m_history = new HistoryPage(m_workspace.document, this);
    for (QWidget *page :
         std::initializer_list<QWidget *>{m_welcome, m_setup, m_explore, m_timeline, m_layers, m_history})
        m_pages->addWidget(page);
    m_welcome->setRecent(m_workspace.recent());
}

void MainWindow::setupLayout()
{
    auto *central = new QWidget(this);
    auto *column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolBar());
    auto *middle = new QHBoxLayout;
    middle->setSpacing(0);
    m_sideBar = new SideBar(this);
    m_sideBar->addPage(static_cast<int>(Page::setup), tr("Setup"), "setup", u"Ctrl+1"_s);
    m_sideBar->addPage(static_cast<int>(Page::explore), tr("Explore"), "explore", u"Ctrl+2"_s);
    m_sideBar->addPage(static_cast<int>(Page::timeline), tr("Timeline"), "timeline", u"Ctrl+3"_s);
    m_sideBar->addPage(static_cast<int>(Page::layers), tr("Layers"), "layers", u"Ctrl+4"_s);
    m_sideBar->addPage(static_cast<int>(Page::history), tr("History"), "history", u"Ctrl+5"_s);
    middle->addWidget(m_sideBar);
    auto *content = new QVBoxLayout;
    content->setSpacing(0);
    m_message = new MessageStrip(this);
    content->addWidget(m_message);
    content->addWidget(m_pages, 1);
    middle->addLayout(content, 1);
    column->addLayout(middle, 1);
    m_status = new StatusStrip(this);
    column->addWidget(m_status);
    setCentralWidget(central);
}

void MainWindow::setupConnections()
{
    connect(m_actions, &WindowActions::pageWanted, this, &MainWindow::showPage);
    connect(m_actions, &WindowActions::copyWanted, this, &MainWindow::copy);
    connect(m_actions->measure, &QAction::triggered, this, &MainWindow::measureAll);
    connect(m_actions->measure, &QAction::changed, this, &MainWindow::updateStatus);
    connect(m_measure, &QPushButton::clicked, this, &MainWindow::measureAll);
    connect(m_stop, &QPushButton::clicked, &m_workspace, &Workspace::stop);
    connect(m_sideBar, &SideBar::chosen, this, [this](int id) { showPage(static_cast<Page>(id)); });
    connect(m_chips, &ChipBar::clicked, this, [this](int field) {
        showPage(Page::setup);
        m_setup->form()->focusField(static_cast<SetupModel::Field>(field));
    });
    connect(m_welcome, &WelcomePage::configWanted, this, [this] { m_actions->openDialog(false); });
    connect(m_welcome, &WelcomePage::sessionWanted, this, [this] { m_actions->openDialog(true); });
    connect(m_welcome, &WelcomePage::fileChosen, &m_workspace, &Workspace::open);
    connect(m_setup, &SetupPage::openWanted, this, [this] { m_actions->openDialog(false); });
    connect(m_setup, &SetupPage::measureWanted, this, &MainWindow::measureAll);
    connect(m_explore, &ExplorePage::dropped, &m_workspace, &Workspace::drop);
    connect(m_explore, &ExplorePage::measureRequested, &m_workspace, &Workspace::measureOne);
    connect(m_history, &HistoryPage::runChosen, &m_workspace, &Workspace::showRun);
    connect(&m_workspace, &Workspace::pageWanted, this, &MainWindow::showPage);
    connect(&m_workspace, &Workspace::message, m_message, &MessageStrip::showMessage);
    connect(&m_workspace, &Workspace::statusChanged, this, &MainWindow::updateStatus);
    connect(&m_workspace, &Workspace::recentChanged, this, [this] { m_welcome->setRecent(m_workspace.recent()); });
    connect(&m_workspace.setup, &SetupModel::changed, this, &MainWindow::updateChips);
    connect(&m_workspace.document, &SessionDocument::pointsChanged, this, &MainWindow::updateChips);
}

void MainWindow::showPage(Page page)
{
    if (page == Page::setup && !m_workspace.setup.hasModel())
        page = Page::welcome;
    if (page == Page::setup)
        m_workspace.askDevices();
    m_pages->setCurrentIndex(static_cast<int>(page));
    if (page == Page::explore)
        m_explore->curveCard()->plot()->setFocus();
    m_sideBar->setCurrent(static_cast<int>(page));
}

Page MainWindow::page() const
{
    return static_cast<Page>(m_pages->currentIndex());
}

void MainWindow::updateChips()
{
    const auto *stored = m_workspace.document.current();
    if (stored)
        m_chips->setChips(workloadChips(stored->model, stored->workload));
    else if (m_workspace.setup.hasModel())
        m_chips->setChips(workloadChips(m_workspace.setup.model(), m_workspace.setup.workload()));
    else
        m_chips->setChips({});
    updateStatus();
}

void MainWindow::updateStatus()
{
    const bool any = m_workspace.document.isOpen() || m_workspace.runs.busy();
    m_sideBar->setPageEnabled(static_cast<int>(Page::setup), m_workspace.setup.hasModel());
    for (const Page page : {Page::explore, Page::timeline, Page::layers, Page::history})
        m_sideBar->setPageEnabled(static_cast<int>(page), any);
    m_measure->setEnabled(m_actions->measure->isEnabled());
    m_stop->setEnabled(m_actions->stop->isEnabled());
    m_setup->setCanMeasure(m_actions->measure->isEnabled(),
                           m_workspace.runs.busy() ? QString() : m_workspace.measureProblem());
    m_explore->panel()->setCanMeasure(m_actions->measure->isEnabled());
    m_status->setLeft(m_workspace.statusText());
    m_status->setRight(m_workspace.trustText());
    m_status->setProgress(m_workspace.progressShare());
}

void MainWindow::measureAll()
{
    m_workspace.measure(m_setup->strategies()->checked());
}

void MainWindow::copy()
{
    auto *content = new QMimeData;
    const auto *timeline = page() == Page::timeline ? m_timeline->card()->plot() : m_explore->timelineCard()->plot();
    if (page() == Page::layers) {
        content->setText(m_layers->tableText());
    } else if (page() == Page::history) {
        content->setText(m_history->tableText());
    } else if (page() == Page::setup) {
        content->setText(m_setup->tableText());
    } else if (page() == Page::timeline || timeline->hasFocus()) {
        content->setText(timeline->table());
        content->setImageData(timeline->picture().toImage());
    } else if (page() == Page::explore) {
        content->setText(m_explore->curveCard()->plot()->table());
        content->setImageData(m_explore->curveCard()->plot()->picture().toImage());
    } else {
        delete content;
        return;
    }
    QApplication::clipboard()->setMimeData(content);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_workspace.runs.busy() && !m_closeQuestion()) {
        event->ignore();
        return;
    }
    m_workspace.stop();
    QSettings().setValue(u"geometry"_s, saveGeometry());
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    event->acceptProposedAction();
    m_workspace.open(event->mimeData()->urls().first().toLocalFile());
}

} // namespace remat::ui
