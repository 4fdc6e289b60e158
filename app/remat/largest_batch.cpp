// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "largest_batch.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "advice/reach.h"
#include "command.h"
#include "console_progress.h"
#include "point_table.h"
#include "model/workload_limits.h"
#include "plan/planned_strategy.h"
#include "schedule/simulator.h"
#include "sweep_series.h"

namespace remat::app {

namespace {

using core::Bytes;
using core::Point;
using core::Result;

/// What was found for one strategy; peaks are predictions, -1 where nothing can be predicted (not even a block fits).
struct Largest
{
    core::Strategy strategy;
    std::int64_t batch = 1;
    bool fits = false;
    Bytes nextPeak = -1; // of one sequence more
};

/// Looks for batches by prediction; every batch is probed once for all strategies.
class BatchSearch
{
public:
    BatchSearch(const core::SweepPlan &plan, Interrupt &interrupt) : m_plan(plan), m_interrupt(interrupt) { }

    Result<Largest> find(const core::Strategy &strategy)
    {
        const std::int64_t most = core::mostSequences(m_plan.workload.seq);
        const auto fits = core::largestFitting(most, [&](std::int64_t batch) { return fitsAt(strategy, batch); });
        if (!fits)
            return fits.error();
        Largest found{strategy, std::max<std::int64_t>(1, *fits), *fits > 0};
        if (*fits < most)
            found.nextPeak = m_peaks[{strategy.text, found.fits ? *fits + 1 : 1}];
        return found;
    }

private:
    Result<bool> fitsAt(const core::Strategy &strategy, std::int64_t batch)
    {
        const auto costs = costsAt(batch);
        if (!costs)
            return costs.error();
        Bytes &peak = m_peaks[{strategy.text, batch}];
        peak = -1;
        if (!*costs)
            return false;
        const auto schedule = scheduleFor(strategy, chainShape(m_plan.model, m_plan.workload), **costs);
        if (!schedule && schedule.error().code == core::ErrorCode::doesNotFit)
            return false;
        if (!schedule)
            return schedule.error();
        const auto simulation = simulate(*schedule, **costs);
        if (!simulation)
            return simulation.error();
        peak = simulation->peak;
        return peak <= m_plan.workload.memoryBudget;
    }

    /// Empty where not even one block fits.
    Result<std::optional<core::ChainCosts>> costsAt(std::int64_t batch)
    {
        if (const auto known = m_costs.find(batch); known != m_costs.end())
            return known->second;
        core::SweepPlan at = m_plan;
        at.workload.batch = batch;
        auto costs = probeInChild(at, m_interrupt, [this](const core::RunnerEvent &event) { m_progress.show(event); });
        if (!costs && costs.error().code != core::ErrorCode::doesNotFit)
            return costs.error();
        return m_costs[batch] = costs ? std::optional(std::move(*costs)) : std::nullopt;
    }

    const core::SweepPlan &m_plan;
    Interrupt &m_interrupt;
    ConsoleProgress m_progress;
    std::map<std::int64_t, std::optional<core::ChainCosts>> m_costs;
    std::map<std::pair<std::string, std::int64_t>, Bytes> m_peaks;
};

Result<std::vector<Largest>> findAll(const core::SweepPlan &plan)
{
    Interrupt interrupt;
    BatchSearch search(plan, interrupt);
    std::vector<Largest> all;
    for (const core::Strategy &strategy : plan.strategies) {
        auto found = search.find(strategy);
        if (!found)
            return found.error();
        all.push_back(std::move(*found));
    }
    return all;
}

/// Fastest first; what has no time comes last.
bool isFaster(const std::pair<Largest, Point> &a, const std::pair<Largest, Point> &b)
{
    return a.second.tokensPerSecond > b.second.tokensPerSecond;
}

core::Json largestJson(const std::vector<std::pair<Largest, Point>> &rows, Bytes budget, const std::string &session)
{
    core::Json list = core::Json::array();
    for (const auto &[largest, point] : rows) {
        core::Json entry = toJson(point);
        entry["largest_batch"] = largest.fits ? core::Json(largest.batch) : core::Json(nullptr);
        entry["next_batch_predicted_peak_bytes"]
            = largest.nextPeak < 0 ? core::Json(nullptr) : core::Json(largest.nextPeak);
        entry["within_budget"] = point.peakBytes >= 0 && point.peakBytes <= budget;
        list.push_back(std::move(entry));
    }
    return {{"session", session.empty() ? core::Json(nullptr) : core::Json(session)},
            {"memory_budget", budget},
            {"points", std::move(list)}};
}

std::string nextText(const Largest &largest, Bytes budget)
{
    const std::int64_t next = largest.fits ? largest.batch + 1 : 1;
    if (largest.nextPeak < 0)
        return largest.fits ? "larger ones were not tried or do not fit" : "not even one block fits";
    return "batch " + std::to_string(next) + " would need " + core::formatBytes(largest.nextPeak - budget) + " more";
}

std::string largestTable(const std::vector<std::pair<Largest, Point>> &rows, Bytes budget)
{
    std::vector<std::vector<std::string>> lines{
        {"strategy", "batch", "status", "peak", "step", "tokens/s", "one more sequence"}};
    for (const auto &[largest, point] : rows) {
        const bool timed = point.step.n > 0;
        lines.push_back({point.strategy, std::to_string(largest.batch), std::string(toString(point.status)),
                         point.peakBytes < 0 ? "-" : core::formatBytes(point.peakBytes),
                         timed ? core::formatDuration(point.step.median) : "-",
                         timed ? std::to_string(static_cast<long long>(point.tokensPerSecond)) : "-",
                         nextText(largest, budget)});
    }
    return table(lines);
}

} // namespace

int runLargestBatches(const core::SweepPlan &plan, const std::string &session, bool json)
{
    const auto found = findAll(plan);
    if (!found)
        return fail(found.error());
    std::vector<core::SweepPlan> plans;
    for (const Largest &largest : *found) {
        core::SweepPlan each = plan;
        each.workload.batch = largest.batch;
        each.strategies = {largest.strategy};
        plans.push_back(std::move(each));
    }
    auto outcome = runSeries(plans, session, json);
    if (!outcome)
        return fail(outcome.error());
    std::vector<std::pair<Largest, Point>> rows;
    bool measured = true;
    for (std::size_t i = 0; i < outcome->points.size(); ++i) {
        const core::RunStatus status = outcome->points[i].status;
        measured = measured && (status == core::RunStatus::done || status == core::RunStatus::doesNotFit);
        rows.emplace_back((*found)[i], outcome->points[i]);
    }
    std::stable_sort(rows.begin(), rows.end(), isFaster);
    if (json)
        printJson(largestJson(rows, plan.workload.memoryBudget, session));
    else
        std::fputs(largestTable(rows, plan.workload.memoryBudget).c_str(), stdout);
    if (outcome->cancelled)
        return exitCancelled;
    return measured ? exitDone : exitFailed;
}

} // namespace remat::app
