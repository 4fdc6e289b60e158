// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "selftest_checks.h"

#include <algorithm>

#include "measure/sweep_loop.h"
#include "workload_options.h"

namespace remat::app {

namespace {

using core::Bytes;
using core::FinishedRun;
using core::Point;
using core::RunStatus;

/// Keeps finished runs.
class Collector final : public core::RunObserver
{
public:
    void progress(const core::Progress &) override { }
    core::Result<void> costs(const core::ChainCosts &) override { return {}; }
    core::Result<std::int64_t> started(const Point &, const core::Schedule &) override { return ++m_started; }
    core::Result<void> finished(const FinishedRun &run) override
    {
        runs.push_back(run);
        return {};
    }

    std::vector<FinishedRun> runs;

private:
    std::int64_t m_started = 0;
};

core::ModelConfig baseModel(bool large)
{
    core::ModelConfig model;
    model.layers = large ? 8 : 4;
    model.heads = model.kvHeads = large ? 8 : 4;
    model.headSize = large ? 64 : 16;
    model.width = model.heads * model.headSize;
    model.ffnWidth = 4 * model.width;
    model.vocabulary = large ? 4096 : 256;
    model.positions = 256;
    model.embeddingDropout = model.residualDropout = 0.1;
    return model;
}

core::ModelConfig gptModel(bool large)
{
    core::ModelConfig model = baseModel(large);
    model.name = "selftest-gpt";
    model.family = "gpt2";
    model.activation = core::Activation::geluTanh;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    return model;
}

core::ModelConfig llamaModel(bool large)
{
    core::ModelConfig model = baseModel(large);
    model.name = "selftest-llama";
    model.family = "llama";
    model.kvHeads = model.heads / 2;
    model.activation = core::Activation::silu;
    model.gatedFfn = true;
    model.norm = core::NormKind::rmsNorm;
    model.position = core::PositionKind::rotary;
    return model;
}

/// Sum over all categories but worker scratch after each event, beside what the ops say.
std::string categoryProblem(const FinishedRun &run)
{
    Bytes held = 0;
    for (int i = 0; i < core::kCategoryCount; ++i) {
        if (static_cast<core::Category>(i) != core::Category::workerScratch)
            held += run.recording.baseline[static_cast<std::size_t>(i)];
    }
    std::size_t event = 0;
    const auto &events = run.recording.events;
    for (std::size_t i = 0; i < run.recording.ops.size(); ++i) {
        const core::OpRecord &op = run.recording.ops[i];
        Bytes peak = held;
        if (held != op.heldBefore)
            return op.code + " began with " + std::to_string(op.heldBefore) + " bytes, the categories sum to "
                + std::to_string(held);
        for (; event < events.size() && events[event].op == i; ++event) {
            held += events[event].category == core::Category::workerScratch ? 0 : events[event].bytes;
            peak = std::max(peak, held);
        }
        if (peak != op.peak || held != op.heldAfter)
            return op.code + " peaked at " + std::to_string(op.peak) + " bytes, the categories at "
                + std::to_string(peak);
    }
    return {};
}

class Selftest
{
public:
    Selftest(core::TrainingBackend &backend, std::string device, int threads,
             const std::function<void(const SelftestResult &)> &tell)
        : m_backend(backend), m_device(std::move(device)), m_large(m_device != "cpu"), m_threads(threads), m_tell(tell)
    {
    }

    std::vector<SelftestResult> run()
    {
        for (const core::ModelConfig &model : {gptModel(m_large), llamaModel(m_large)}) {
            auto runs = sweep(model,
                              {"none", "every:1", "every:2", "segments:2", "segments:3", "sequential:2", "first:2",
                               "last:1", "sqrt", "halves", "recursive", "input-only"},
                              0);
            if (!runs) {
                add(model.name + ": steps", false, runs.error().message);
                continue;
            }
            checkDone(model, *runs);
            checkEquality(model, *runs);
            checkPrediction(model, *runs);
            checkCategories(model, *runs);
            checkTiming(model, *runs);
            if (m_device != "cpu")
                checkAllocator(model, *runs);
        }
        checkBudget(gptModel(m_large));
        return std::move(m_results);
    }

private:
    core::Result<std::vector<FinishedRun>> sweep(const core::ModelConfig &model,
                                                 const std::vector<std::string> &strategies, Bytes budget)
    {
        core::SweepPlan plan;
        plan.model = model;
        plan.workload.batch = m_large ? 16 : 2;
        plan.workload.seq = m_large ? 256 : 32;
        plan.workload.device = m_device;
        plan.workload.threads = m_threads;
        plan.workload.memoryBudget = budget;
        plan.repeats = 3;
        for (const std::string &text : strategies) {
            auto strategy = core::parseStrategy(text);
            if (!strategy)
                return strategy.error();
            plan.strategies.push_back(std::move(*strategy));
        }
        auto workload = core::resolveWorkload(plan.workload, plan.model, usableCores());
        if (!workload)
            return workload.error();
        plan.workload = std::move(*workload);
        Collector collector;
        auto points = core::runSweep(plan, m_backend, collector, {});
        if (!points)
            return points.error();
        return std::move(collector.runs);
    }

    void add(const std::string &name, bool passed, const std::string &numbers)
    {
        m_results.push_back({name, passed, numbers});
        m_tell(m_results.back());
    }

    void checkDone(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        std::string problem;
        for (const FinishedRun &run : runs) {
            if (run.point.status != RunStatus::done)
                problem += run.point.strategy + " " + std::string(toString(run.point.status)) + " " + run.point.reason
                    + " ";
        }
        add(model.name + ": steps", problem.empty(),
            problem.empty() ? std::to_string(runs.size()) + " strategies ran" : problem);
    }

    void checkEquality(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        std::int64_t differing = 0;
        int unchecked = 0;
        for (const FinishedRun &run : runs) {
            differing += run.point.equality.differingElements;
            unchecked += run.point.equality.checked ? 0 : 1;
        }
        add(model.name + ": equal gradients", differing == 0 && unchecked == 0,
            std::to_string(differing) + " elements differ in " + std::to_string(runs.size())
                + " strategies with dropout, " + std::to_string(unchecked) + " unchecked");
    }

    void checkPrediction(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        // To the byte on the CPU; on a device libraries choose their own scratch.
        const double allowed = m_device == "cpu" ? 0.0 : 0.01;
        double worst = 0.0;
        Bytes worstBytes = 0;
        for (const FinishedRun &run : runs) {
            const Bytes off = std::abs(run.point.peakBytes - run.point.predictedPeakBytes);
            const double share
                = static_cast<double>(off) / static_cast<double>(std::max<Bytes>(1, run.point.peakBytes));
            worst = std::max(worst, run.point.predictedPeakBytes < 0 ? 1.0 : share);
            worstBytes = std::max(worstBytes, off);
        }
        add(model.name + ": predicted peak", worst <= allowed,
            "off by at most " + std::to_string(worstBytes) + " bytes");
    }

    void checkCategories(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        std::size_t events = 0;
        Bytes other = 0;
        std::string problem;
        for (const FinishedRun &run : runs) {
            events += run.recording.events.size();
            for (const core::MemoryEvent &event : run.recording.events)
                other += event.category == core::Category::other && event.bytes > 0 ? event.bytes : 0;
            const std::string found = categoryProblem(run);
            if (problem.empty() && !found.empty())
                problem = run.point.strategy + ": " + found;
        }
        const bool passed = problem.empty() && events > 0 && (other == 0 || m_device != "cpu");
        add(model.name + ": categories", passed,
            std::to_string(events) + " events, " + std::to_string(other) + " bytes in category other"
                + (problem.empty() ? "" : "; " + problem));
    }

    void checkTiming(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        std::string problem;
        for (const FinishedRun &run : runs) {
            const Point &p = run.point;
            const core::Nanoseconds sum
                = p.forwardNs + p.recomputeNs + p.backwardNs + p.lossNs + p.optimizerNs + p.otherNs;
            // The parts are those of the step nearest the median, which lies between the quartiles of three steps.
            const bool adds = sum >= p.step.q1 && sum <= p.step.q3;
            const bool recomputes = (p.recomputeNs > 0) == (p.recomputedStageForwards > 0);
            const bool positive = p.forwardNs > 0 && p.backwardNs > 0 && p.lossNs > 0 && p.otherNs >= 0;
            if (p.status == RunStatus::done && !(adds && recomputes && positive) && problem.empty())
                problem = p.strategy + ": parts sum to " + std::to_string(sum) + " ns of a step of "
                    + std::to_string(p.step.median) + " ns";
        }
        const std::string median = runs.empty()
            ? "no step"
            : core::formatDuration(runs.front().point.step.median) + " a step of " + runs.front().point.strategy;
        add(model.name + ": timing", problem.empty() && !runs.empty(), problem.empty() ? median : problem);
    }

    /// A device's allocator counts for itself: whole blocks hold what was asked for, and segments hold the blocks.
    void checkAllocator(const core::ModelConfig &model, const std::vector<FinishedRun> &runs)
    {
        std::string problem;
        std::string numbers;
        for (const FinishedRun &run : runs) {
            const Point &p = run.point;
            const std::string line = p.strategy + " requested " + std::to_string(p.peakBytes) + ", allocated "
                + std::to_string(p.allocatedPeakBytes) + ", reserved " + std::to_string(p.reservedPeakBytes);
            numbers = numbers.empty() ? line : numbers;
            if (problem.empty() && (p.allocatedPeakBytes < p.peakBytes || p.reservedPeakBytes < p.allocatedPeakBytes))
                problem = line;
        }
        add(model.name + ": allocator", problem.empty(), problem.empty() ? numbers : problem);
    }

    void checkBudget(const core::ModelConfig &model)
    {
        const auto free = sweep(model, {"none", "every:1"}, 0);
        if (!free || free->size() != 2) {
            add("out of memory", false, free ? "the runs without a budget did not end" : free.error().message);
            return;
        }
        const Bytes none = std::max((*free)[0].point.peakBytes, (*free)[0].point.reservedPeakBytes);
        const Bytes every = std::max((*free)[1].point.peakBytes, (*free)[1].point.reservedPeakBytes);
        const Bytes budget = every + (none - every) / 2;
        const auto tight = sweep(model, {"none", "every:1"}, budget);
        if (!tight || tight->size() != 2) {
            add("out of memory", false, tight ? "the runs under a budget did not end" : tight.error().message);
            return;
        }
        const auto named = [&](const char *strategy) {
            return std::find_if(tight->begin(), tight->end(),
                                [&](const FinishedRun &run) { return run.point.strategy == strategy; })
                ->point;
        };
        const Point refused = named("none");
        const Point kept = named("every:1");
        const bool ended = refused.status == RunStatus::doesNotFit && !refused.reason.empty();
        const bool recovered = kept.status == RunStatus::done && kept.peakBytes == (*free)[1].point.peakBytes
            && kept.equality.differingElements == 0;
        add("out of memory", ended,
            "budget " + std::to_string(budget) + " bytes; none: " + std::string(toString(refused.status)) + "; "
                + refused.reason);
        add("recovery", recovered,
            "every:1 after it: " + std::string(toString(kept.status)) + ", peak " + std::to_string(kept.peakBytes)
                + " bytes against " + std::to_string((*free)[1].point.peakBytes) + " without a budget");
    }

    core::TrainingBackend &m_backend;
    std::string m_device;
    bool m_large; // a device's allocator hands out megabytes; a tiny model would not show a budget
    int m_threads;
    const std::function<void(const SelftestResult &)> &m_tell;
    std::vector<SelftestResult> m_results;
};

} // namespace

std::vector<SelftestResult> runSelftest(core::TrainingBackend &backend, const std::string &device, int threads,
                                        const std::function<void(const SelftestResult &)> &tell)
{
    return Selftest(backend, device, threads, tell).run();
}

} // namespace remat::app
