// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "composition.h"

#include <QApplication>
#include <QDir>
#include <QIcon>
#include <QWindow>

#include "main_window.h"
#include "theme/theme_controller.h"

namespace remat::app {

using namespace Qt::StringLiterals;

ui::RunnerCommand findRunner()
{
    ui::RunnerCommand command;
    command.program = qEnvironmentVariable("REMAT_RUNNER");
    if (command.program.isEmpty())
        command.program = QDir(QApplication::applicationDirPath()).filePath(u"remat"_s);
    return command;
}

int runWindow(const QStringList &files, bool leaveWhenShown)
{
    ui::initResources();
    QApplication::setWindowIcon(QIcon(u":/icons/rematscope.svg"_s));
    ui::ThemeController theme;
    theme.start();
    ui::Workspace workspace(findRunner());
    ui::MainWindow window(workspace, theme);
    for (const QString &file : files)
        workspace.open(file);
    window.show();
    if (!leaveWhenShown)
        return QApplication::exec();
    while (!window.windowHandle()->isExposed())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    window.repaint();
    return 0;
}

} // namespace remat::app
