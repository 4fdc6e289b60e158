// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QCommandLineParser>

#include "composition.h"

int main(int argc, char **argv)
{
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
    parser.process(application);
    return remat::app::runWindow(parser.positionalArguments());
}
