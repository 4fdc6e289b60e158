// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "ui/support/ui_fixture.h"

#include <QApplication>
#include <QSettings>
#include <QTest>

#include "ui/support/sample_session.h"

namespace remat::tests {

UiFixture::UiFixture(const ui::RunnerCommand &runner)
{
    QApplication::setOrganizationName(QStringLiteral("Rematscope"));
    QApplication::setApplicationName(QStringLiteral("rematscope-tests"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    ui::initResources();
    m_theme = std::make_unique<ui::ThemeController>();
    m_theme->start();
    m_theme->setMode(ui::ThemeMode::light);
    m_workspace = std::make_unique<ui::Workspace>(runner);
    m_workspace->setSessionFolder(m_folder.path());
    m_window = std::make_unique<ui::MainWindow>(*m_workspace, *m_theme);
}

UiFixture::~UiFixture() = default;

void UiFixture::openLecture()
{
    const auto opened = m_workspace->document.setReader(lectureSession());
    QVERIFY(opened.has_value());
    const auto *stored = m_workspace->document.current();
    QVERIFY(stored != nullptr);
    m_workspace->setup.adopt(stored->model, stored->workload);
    m_window->showPage(ui::Page::explore);
}

void UiFixture::show(int width, int height)
{
    m_window->resize(width, height);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

} // namespace remat::tests
