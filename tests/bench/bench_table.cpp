// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <chrono>
#include <cstdio>

#include "bench/bench.h"
#include "measure/statistics.h"

namespace remat::bench {

using core::Json;

Row timed(const std::string &name, int times, const std::function<void()> &work)
{
    std::vector<core::Nanoseconds> all;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        all.push_back((std::chrono::steady_clock::now() - begin).count());
    }
    return {name, core::summarise(all), {}};
}

void print(const std::vector<Row> &rows, bool json)
{
    Json list = Json::array();
    for (const Row &row : rows) {
        list.push_back(Json{{"name", row.name},
                            {"median_ns", row.time.median},
                            {"q1_ns", row.time.q1},
                            {"q3_ns", row.time.q3},
                            {"n", row.time.n},
                            {"note", row.note}});
        if (!json)
            std::printf("%-44s %12s   %s … %s   n=%d   %s\n", row.name.c_str(),
                        core::formatDuration(row.time.median).c_str(), core::formatDuration(row.time.q1).c_str(),
                        core::formatDuration(row.time.q3).c_str(), row.time.n, row.note.c_str());
    }
    if (json)
        std::printf("%s\n", Json{{"rows", std::move(list)}}.dump().c_str());
}

} // namespace remat::bench
