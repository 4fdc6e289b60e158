// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "bench/bench.h"
#include "measure/statistics.h"

using namespace remat;
using core::Json;

namespace {

constexpr int kRounds = 5; // REMAT_PEER_ROUNDS: another number
constexpr const char *kSteps = "4";
constexpr double kScale = 1e6; // ratios are summarised as whole numbers

struct Plan
{
    core::Bytes ours = 0;
    core::Bytes theirs = 0;
    std::vector<core::Nanoseconds> ratios; // times kScale, one a round
};

core::Nanoseconds medianOf(const Json &times)
{
    return core::summarise(times.get<std::vector<core::Nanoseconds>>()).median;
}

core::Result<Json> runSide(const std::vector<std::string> &command)
{
    auto text = bench::outputOf(command);
    if (!text)
        return text.error();
    return core::parseJson(*text, command[0]);
}

int rounds()
{
    const char *wanted = std::getenv("REMAT_PEER_ROUNDS");
    return wanted ? std::max(1, std::atoi(wanted)) : kRounds;
}

core::Result<Json> readModes()
{
    std::ifstream file(REMAT_PEER_MODES);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return core::parseJson(text, REMAT_PEER_MODES);
}

/// Rounds alternate between the two sides, so that a slow spell of the machine meets both.
core::Result<std::map<std::string, Plan>> measure(const std::string &python, const std::string &mode)
{
    const std::string threads = std::to_string(std::max(1U, std::thread::hardware_concurrency()));
    const std::string allocator = bench::ownFolder() + "../lib/libremat_peer_allocator.so";
    std::map<std::string, Plan> plans;
    for (int round = 0; round < rounds(); ++round) {
        std::fprintf(stderr, "%s: round %d of %d\n", mode.c_str(), round + 1, rounds());
        auto theirs = runSide({python, REMAT_PEER_SCRIPT, allocator, REMAT_PEER_MODES, mode, kSteps, threads});
        if (!theirs)
            return theirs.error();
        auto ours
            = runSide({bench::ownFolder() + "remat_bench_engine", "peer", REMAT_PEER_MODES, mode, kSteps, threads});
        if (!ours)
            return ours.error();
        for (const auto &[name, mine] : ours->items()) {
            const Json &other = (*theirs)[name];
            Plan &plan = plans[name];
            plan.ours = std::max(plan.ours, mine["peak"].get<core::Bytes>());
            plan.theirs = std::max(plan.theirs, other["peak"].get<core::Bytes>());
            const double ratio = static_cast<double>(medianOf(mine["ns"])) / static_cast<double>(medianOf(other["ns"]));
            plan.ratios.push_back(static_cast<core::Nanoseconds>(ratio * kScale));
        }
    }
    return plans;
}

Json rowOf(const std::string &name, const Plan &plan)
{
    const core::StepTime time = core::summarise(plan.ratios);
    const double peak = static_cast<double>(plan.ours) / static_cast<double>(plan.theirs);
    const auto ratio = [](core::Nanoseconds value) { return static_cast<double>(value) / kScale; };
    Json why = nullptr;
    if (peak > 1.0)
        why = "peak: " + std::to_string(plan.ours) + " bytes against " + std::to_string(plan.theirs);
    else if (ratio(time.q1) > 1.0)
        why = "slower in three rounds of four";
    return Json{{"mode", name},
                {"peak_ratio", peak},
                {"time_ratio", {{"median", ratio(time.median)}, {"q1", ratio(time.q1)}, {"q3", ratio(time.q3)}}},
                {"peak_bytes", plan.ours},
                {"peer_peak_bytes", plan.theirs},
                {"why", why}};
}

/// Rows are named "mode plan"; REMAT_PEER_MODE picks one mode.
core::Result<Json> measureAll(const std::string &python)
{
    const auto modes = readModes();
    if (!modes)
        return modes.error();
    const char *only = std::getenv("REMAT_PEER_MODE");
    Json rows = Json::array();
    for (const Json &entry : *modes) {
        const std::string mode = entry["mode"];
        if (only && mode != only)
            continue;
        const auto plans = measure(python, mode);
        if (!plans)
            return plans.error();
        for (const auto &[name, plan] : *plans)
            rows.push_back(rowOf(mode + " " + name, plan));
    }
    return rows;
}

} // namespace

int benchPeer(bool json)
{
    const char *python = std::getenv("REMAT_PEER_PYTHON");
    if (!python) {
        std::fprintf(
            stderr,
            "REMAT_PEER_PYTHON names no Python with torch 2.11.0; run 'bash packaging/bootstrap.sh bench peer'.\n");
        return 2;
    }
    const auto rowsOfAll = measureAll(python);
    if (!rowsOfAll) {
        std::fprintf(stderr, "%s\n", rowsOfAll.error().message.c_str());
        return 1;
    }
    const Json &rows = *rowsOfAll;
    if (json) {
        std::printf("%s\n", Json{{"rows", rows}}.dump().c_str());
        return 0;
    }
    std::printf("Rematscope / torch.utils.checkpoint (use_reentrant=False), same wheel, operators, allocator; below 1 "
                "is better\n");
    std::printf("%-30s %10s   %-24s %14s %14s\n", "mode and plan", "peak", "time (q1 … q3)", "peak bytes", "Python's");
    for (const Json &row : rows)
        std::printf("%-30s %10.4f   %.3f (%.3f … %.3f)    %14lld %14lld  %s\n", row["mode"].get<std::string>().c_str(),
                    row["peak_ratio"].get<double>(), row["time_ratio"]["median"].get<double>(),
                    row["time_ratio"]["q1"].get<double>(), row["time_ratio"]["q3"].get<double>(),
                    static_cast<long long>(row["peak_bytes"].get<core::Bytes>()),
                    static_cast<long long>(row["peer_peak_bytes"].get<core::Bytes>()),
                    row["why"].is_null() ? "" : row["why"].get<std::string>().c_str());
    return 0;
}
