// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>
#include <cstring>

#include "bench/bench.h"

namespace {

struct Benchmark
{
    const char *name;
    int (*run)(bool json);
};

constexpr Benchmark kBenchmarks[] = {
    {"core", &benchCore}, {"plan", &benchPlan}, {"recorder", &benchRecorder}, {"start", &benchStart},
#ifdef REMAT_BENCH_UI
    {"ui", &benchUi},
#endif
    {"peer", &benchPeer},
};

} // namespace

int main(int argc, char **argv)
{
    const char *wanted = nullptr;
    bool json = false;
    for (int i = 1; i < argc; ++i)
        std::strcmp(argv[i], "--json") == 0 ? static_cast<void>(json = true) : static_cast<void>(wanted = argv[i]);
    int code = 0;
    bool found = false;
    for (const Benchmark &benchmark : kBenchmarks) {
        // Without a name everything runs that needs nothing installed: the comparison with Python is asked for by name.
        const bool byDefault = !wanted && std::strcmp(benchmark.name, "peer") != 0;
        if (!byDefault && (!wanted || std::strcmp(benchmark.name, wanted) != 0))
            continue;
        found = true;
        code |= benchmark.run(json);
    }
    if (found)
        return code;
    std::fprintf(stderr, "'%s' is no benchmark; there are core, plan, recorder, start, ui and peer.\n", wanted);
    return 2;
}
