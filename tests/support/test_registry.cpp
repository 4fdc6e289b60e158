// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/test_registry.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace remat::tests {

namespace {

struct Entry
{
    const char *name;
    TestFunction run;
};

std::vector<Entry> &entries()
{
    static std::vector<Entry> list;
    return list;
}

} // namespace

Registration::Registration(const char *name, TestFunction run)
{
    entries().push_back({name, run});
}

int runTests(int argc, char **argv)
{
    const bool named = argc > 1 && argv[1][0] != '-';
    std::vector<char *> rest(argv, argv + argc);
    if (named)
        rest.erase(rest.begin() + 1);
    int failures = 0;
    bool found = false;
    for (const Entry &entry : entries()) {
        if (named && std::strcmp(entry.name, argv[1]) != 0)
            continue;
        found = true;
        failures += entry.run(static_cast<int>(rest.size()), rest.data());
    }
    if (!found) {
        std::fprintf(stderr, "no test class named '%s' in this program\n", named ? argv[1] : "");
        return 1;
    }
    return failures;
}

} // namespace remat::tests
