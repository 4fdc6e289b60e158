// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QTemporaryDir>

#include "main_window.h"
#include "theme/theme_controller.h"

namespace remat::tests {

/// A whole window over a workspace, with settings and sessions in a temporary folder. The runner is whatever the test
/// names. Main thread.
class UiFixture
{
public:
    explicit UiFixture(const ui::RunnerCommand &runner = {});
    ~UiFixture();

    [[nodiscard]] ui::MainWindow &window() { return *m_window; }
    [[nodiscard]] ui::Workspace &workspace() { return *m_workspace; }
    [[nodiscard]] ui::ThemeController &theme() { return *m_theme; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }

    /// Shows the sample of twelve layers on Explore.
    void openLecture();
    void show(int width = 1440, int height = 900);

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ui::ThemeController> m_theme;
    std::unique_ptr<ui::Workspace> m_workspace;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace remat::tests
