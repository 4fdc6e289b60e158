// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "bench/engine_bench.h"

#include <algorithm>
#include <cstdlib>

#include "bench/bench.h"
#include "measure/sweep_loop.h"
#include "plan/planned_strategy.h"
#include "schedule/simulator.h"

namespace remat::bench {

using core::Json;

namespace {

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
        entry.json["differing_elements"] = proof.differingElements;
    }
    if (const auto ready = workload.reset(); !ready) {
        std::fprintf(stderr, "%s\n", ready.error().message.c_str());
        std::exit(1);
    }
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
    ::setenv("REMAT_PROBE_ROUNDS", "1", 1);
    for (int round = 0; round < rounds; ++round) {
        const auto costs = orExit(backend.probe(plan.model, plan.workload, options, {}));
        // Another one begins each round: a step that follows a larger one finds its memory touched.
        for (std::size_t i = 0; i < entries.size(); ++i) {
            Entry &entry = entries[(i + static_cast<std::size_t>(round)) % entries.size()];
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
