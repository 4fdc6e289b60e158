// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep_series.h"

#include <cstdio>

#include "console_progress.h"

namespace remat::app {

core::Result<SweepOutcome> runSeries(const std::vector<core::SweepPlan> &plans, const std::string &session, bool quiet)
{
    Interrupt interrupt;
    ConsoleProgress progress;
    SweepOutcome all;
    for (const core::SweepPlan &plan : plans) {
        if (!quiet && &plan == &plans.front()) {
            for (const std::string &note : notesFor(plan))
                std::fprintf(stderr, "%s\n", note.c_str());
        }
        auto outcome
            = sweepInChild(plan, session, interrupt, [&](const core::RunnerEvent &event) { progress.show(event); });
        if (!outcome)
            return outcome.error();
        for (core::Point &point : outcome->points) {
            // What never started knows its strategy only.
            point.model = plan.model.name;
            point.batch = plan.workload.batch;
            point.seq = plan.workload.seq;
            point.microBatches = plan.workload.microBatches;
            point.dtype = toString(plan.workload.dtype);
            point.attention = toString(plan.workload.attention);
            point.device = plan.workload.device;
            point.grads = toString(plan.workload.gradients);
            all.points.push_back(std::move(point));
        }
        if (outcome->cancelled) {
            all.cancelled = true;
            break;
        }
    }
    return all;
}

core::Json pointsJson(const std::vector<core::Point> &points, const std::string &session)
{
    core::Json json{{"session", session.empty() ? core::Json(nullptr) : core::Json(session)},
                    {"points", core::Json::array()}};
    for (const core::Point &point : points)
        json["points"].push_back(toJson(point));
    return json;
}

} // namespace remat::app
