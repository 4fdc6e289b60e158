// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>

#include <filesystem>

#include "bench/bench.h"
#include "store/session_writer.h"

using namespace remat;

namespace {

/// How long a program takes from its start to its end.
bench::Row program(const std::string &name, const std::vector<std::string> &command)
{
    std::string problem;
    bench::Row row = bench::timed(name, 7, [&] {
        if (auto output = bench::outputOf(command); !output)
            problem = output.error().message;
    });
    row.note = problem;
    return row;
}

} // namespace

int benchStart(bool json)
{
    const std::string file = (std::filesystem::temp_directory_path() / "remat_bench_start.remat").string();
    std::filesystem::remove(file);
    if (auto writer = core::SessionWriter::open(file); !writer) {
        std::fprintf(stderr, "%s\n", writer.error().message.c_str());
        return 1;
    }
    const std::string folder = bench::ownFolder();
    std::vector<bench::Row> rows
        = {program("remat show (no engine)", {folder + "remat", "show", file, "--json"}),
           program("remat devices (opens the engine)", {folder + "remat", "devices", "--json"})};
    if (std::filesystem::exists(folder + "rematscope"))
        rows.push_back(program("rematscope until its window is shown", {folder + "rematscope", "--exit-when-shown"}));
    bench::print(rows, json);
    std::filesystem::remove(file);
    return 0;
}
