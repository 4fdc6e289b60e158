// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QCoreApplication>

#include "support/test_registry.h"

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    return remat::tests::runTests(argc, argv);
}
