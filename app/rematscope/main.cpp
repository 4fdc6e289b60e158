// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QCommandLineParser>

#include <cstdio>

#include "composition.h"

namespace {

/// Qt aborts without a display; this says what to do instead.
bool hasDisplay(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (QLatin1StringView(argv[i]) == QLatin1StringView("-platform"))
            return true;
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
        || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

} // namespace

int main(int argc, char **argv)
{
    if (!hasDisplay(argc, argv)) {
        std::fputs("rematscope: there is no display (DISPLAY is not set); start it on a desktop, or use remat.\n",
                   stderr);
        return 1;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("rematscope"));
    QApplication::setOrganizationName(QStringLiteral("Rematscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Rematscope"));
    QApplication::setApplicationVersion(QStringLiteral(REMAT_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::translate("main", "What activation checkpointing costs and saves on a real training step."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"),
                                 QApplication::translate("main", "Model config or session to open."),
                                 QStringLiteral("[file…]"));
    const QCommandLineOption leave(
        QStringLiteral("exit-when-shown"),
        QApplication::translate("main", "Leave when the window is on the screen, to time it."));
    parser.addOption(leave);
    parser.process(application);
    return remat::app::runWindow(parser.positionalArguments(), parser.isSet(leave));
}
