// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "bench/engine_bench.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "bench/bench.h"
#include "measure/sweep_loop.h"
#include "plan/planned_strategy.h"
#include "schedule/simulator.h"

namespace remat::bench {

using core::Json;

namespace {

/// Fewer cannot show that an option differs from keep_all, more would leave the steps far apart.
constexpr const char *kProbeRounds = "6";

struct Entry
{
    std::string plan;
    core::Schedule schedule;
    Json json;
};

std::vector<Entry> entriesOf(const core::SweepPlan &plan, const core::ChainCosts &costs)
{
    std::vector<Entry> entries;
    for (const core::Strategy &strategy : plan.strategies) {
        auto schedule = orExit(core::scheduleFor(strategy, core::chainShape(plan.model, plan.workload), costs));
        const auto simulation = orExit(core::simulate(schedule, costs));
        entries.push_back({strategy.text, std::move(schedule), {{"predicted_peak_bytes", simulation.peak}}});
    }
    return entries;
}

/// Gradients against the first entry's, then the recorded peak.
void check(core::PreparedWorkload &workload, std::vector<Entry> &entries)
{
    for (Entry &entry : entries) {
        const auto proof = orExit(workload.prove(entry.schedule, &entry == &entries.front()));
        if (proof.outcome.status != core::RunStatus::done)
            exitWith(entry.plan + ": " + proof.outcome.reason);
        if (proof.missingGradients > 0)
            exitWith(entry.plan + " leaves " + proof.firstMissing + " without a gradient");
        entry.json["differing_elements"] = proof.differingElements;
    }
    orExit(workload.reset());
    for (int warm = 0; warm < 2; ++warm)
        static_cast<void>(stepOrExit(workload, entries.front().schedule));
    for (Entry &entry : entries) {
        static_cast<void>(stepOrExit(workload, entry.schedule));
        const auto recorded = orExit(workload.recordStep(entry.schedule, {}));
        entry.json["peak_bytes"] = core::peaksOf(recorded.recording).peak;
    }
}

} // namespace

Json pairedTimes(core::TrainingBackend &backend, const Mode &mode, int rounds)
{
    core::SweepPlan plan{mode.model, mode.workload, {}, 0};
    for (const std::string &text : mode.plans)
        plan.strategies.push_back(orExit(core::parseStrategy(text)));
    const auto options = orExit(core::optionsOf(plan));
    auto entries = entriesOf(plan, orExit(backend.probe(plan.model, plan.workload, options, {})));
    const auto workload = orExit(backend.prepare(plan.model, plan.workload));
    check(*workload, entries);

    // Recorded bytes belong to the model that was made last: from here on only times count.
    ::setenv("REMAT_PROBE_ROUNDS", kProbeRounds, 1);
    std::mt19937 order(1);
    for (int round = 0; round < rounds; ++round) {
        const auto costs = orExit(backend.probe(plan.model, plan.workload, options, {}));
        // Another order each round: what a step finds in caches is what the one before it left.
        std::shuffle(entries.begin(), entries.end(), order);
        for (Entry &entry : entries) {
            entry.json["ns"].push_back(stepOrExit(*workload, entry.schedule).split.step);
            entry.json["predicted_ns"].push_back(orExit(core::simulate(entry.schedule, costs)).stepNs);
        }
    }
    Json result = Json::object();
    for (Entry &entry : entries)
        result[entry.plan] = std::move(entry.json);
    return result;
}

} // namespace remat::bench
