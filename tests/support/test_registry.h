// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QTest>

namespace remat::tests {

using TestFunction = int (*)(int argc, char **argv);

/// Puts a test class under its name into the program's list; made by REMAT_TEST at start-up, main thread only.
struct Registration
{
    Registration(const char *name, TestFunction run);
};

/// Runs the class named by argv[1] with the remaining arguments, or all classes without a name. Returns the number of
/// failures; an unknown name is a failure.
[[nodiscard]] int runTests(int argc, char **argv);

} // namespace remat::tests

#define REMAT_TEST(Class)                                                                                              \
    static const remat::tests::Registration kRegistration_##Class(#Class, [](int argc, char **argv) {                  \
        Class test;                                                                                                    \
        return QTest::qExec(&test, argc, argv);                                                                        \
    })
