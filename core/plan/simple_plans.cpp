// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/simple_plans.h"

#include <algorithm>
#include <cmath>

#include "plan/knapsack.h"
#include "plan/revolve.h"
#include "schedule/schedule_builder.h"

namespace remat::core {

namespace {

constexpr std::size_t kMostPatterns = 256;
constexpr int kKnapsackSlots = 4000;

/// Option ids for the stages of a block, by their place in it.
using OptionPattern = std::vector<std::string>;

int stagesOf(const PlanProblem &problem)
{
    return static_cast<int>(problem.costs.stages.size());
}

/// Blocks [begin, end) of the problem as one group.
struct BlockGroup
{
    int begin = 0;
    int end = 0;
    bool rerun = false;
};

/// `patterns` has an entry per block, or is empty: everything as by default.
Schedule build(const PlanProblem &problem, const std::vector<BlockGroup> &groups,
               const std::vector<OptionPattern> &patterns = {})
{
    std::vector<std::string> options(problem.costs.stages.size());
    for (std::size_t b = 0; b < patterns.size(); ++b)
        for (std::size_t i = 0; i < patterns[b].size(); ++i)
            options[static_cast<std::size_t>(problem.blocks[b].first) + i] = patterns[b][i];
    std::vector<StageGroup> stages;
    int next = 0;
    const auto keepUpTo = [&](int stage) {
        if (stage > next)
            stages.push_back({next, stage - 1, false});
        next = stage;
    };
    for (const BlockGroup &group : groups) {
        const int first = problem.blocks[static_cast<std::size_t>(group.begin)].first;
        const int last = problem.blocks[static_cast<std::size_t>(group.end) - 1].last;
        keepUpTo(first);
        stages.push_back({first, last, group.rerun});
        next = last + 1;
    }
    keepUpTo(stagesOf(problem));
    return groupedSchedule(ScheduleBuilder(stagesOf(problem), problem.costs.firstTrainable,
                                           [&options](int stage) { return options[static_cast<std::size_t>(stage)]; }),
                           stages);
}

std::vector<BlockGroup> segments(int blocks, int length, bool keepLast)
{
    std::vector<BlockGroup> groups;
    for (int begin = 0; begin < blocks; begin += length)
        groups.push_back({begin, std::min(begin + length, blocks), true});
    if (keepLast && !groups.empty())
        groups.back().rerun = false;
    return groups;
}

int blocksOf(const PlanProblem &problem)
{
    return static_cast<int>(problem.blocks.size());
}

/// All choices of options for a block like this one; the first keeps everything.
std::vector<OptionPattern> patternsOf(const PlanProblem &problem, const BlockRange &block)
{
    std::vector<OptionPattern> patterns{{}};
    for (int stage = block.first; stage <= block.last; ++stage) {
        const auto &options = problem.costs.stages[static_cast<std::size_t>(stage)].options;
        if (patterns.size() * options.size() > kMostPatterns)
            return patterns;
        std::vector<OptionPattern> longer;
        for (const OptionPattern &pattern : patterns)
            for (const auto &[id, cost] : options) {
                longer.push_back(pattern);
                longer.back().push_back(id);
            }
        patterns = std::move(longer);
    }
    return patterns;
}

std::string selectiveName(const OptionPattern &pattern)
{
    std::string ids;
    for (const std::string &id : pattern)
        if (!id.empty())
            ids += (ids.empty() ? "" : "+") + id;
    return ids.empty() ? "none" : "selective:" + ids;
}

/// One walk of Chen's greedy rule; x and y of the paper are what is kept between and within segments.
struct GreedyWalk
{
    std::vector<BlockGroup> groups;
    Bytes between = 0;
    Bytes within = 0;
};

GreedyWalk greedyWalk(const PlanProblem &problem, Bytes limit)
{
    GreedyWalk walk;
    Bytes since = 0;
    int begin = 0;
    for (int b = 0; b < blocksOf(problem); ++b) {
        const BlockRange &block = problem.blocks[static_cast<std::size_t>(b)];
        for (int stage = block.first; stage <= block.last; ++stage) {
            const StageCost &cost = problem.costs.stages[static_cast<std::size_t>(stage)];
            since += cost.options.begin()->second.saved + cost.output;
        }
        if (since <= limit && b + 1 < blocksOf(problem))
            continue;
        walk.between += problem.costs.stages[static_cast<std::size_t>(block.last)].output;
        walk.within = std::max(walk.within, since);
        walk.groups.push_back({begin, b + 1, true});
        begin = b + 1;
        since = 0;
    }
    return walk;
}

} // namespace

Candidate saveAllPlan(const PlanProblem &problem)
{
    return {"none", build(problem, {})};
}

std::vector<Candidate> everyBlockPlans(const PlanProblem &problem)
{
    const int n = blocksOf(problem);
    return {{"every:1", build(problem, segments(n, 1, false))},
            {"sequential:" + std::to_string(n), build(problem, segments(n, 1, true))}};
}

std::vector<Candidate> uniformPlans(const PlanProblem &problem)
{
    if (problem.blocks.empty())
        return {saveAllPlan(problem)};
    std::vector<Candidate> plans;
    for (int k = 1; k <= blocksOf(problem); ++k) {
        const std::string name = "segments:" + std::to_string(k);
        plans.push_back({name, build(problem, segments(blocksOf(problem), k, false))});
        plans.push_back({name + ", last kept", build(problem, segments(blocksOf(problem), k, true))});
    }
    return plans;
}

std::vector<Candidate> prefixPlans(const PlanProblem &problem)
{
    std::vector<Candidate> plans{saveAllPlan(problem)};
    for (int n = 1; n <= blocksOf(problem); ++n)
        plans.push_back({"first:" + std::to_string(n), build(problem, segments(n, 1, false))});
    return plans;
}

std::vector<Candidate> selectivePlans(const PlanProblem &problem)
{
    if (problem.blocks.empty())
        return {saveAllPlan(problem)};
    std::vector<Candidate> plans;
    for (const OptionPattern &pattern : patternsOf(problem, problem.blocks.front())) {
        const std::vector<OptionPattern> all(problem.blocks.size(), pattern);
        const bool exist = std::all_of(problem.blocks.begin(), problem.blocks.end(), [&](const BlockRange &block) {
            for (std::size_t i = 0; i < pattern.size(); ++i) {
                const std::size_t stage = static_cast<std::size_t>(block.first) + i;
                if (static_cast<int>(stage) > block.last || !problem.costs.stages[stage].options.contains(pattern[i]))
                    return false;
            }
            return true;
        });
        if (exist)
            plans.push_back({selectiveName(pattern), build(problem, {}, all)});
    }
    return plans;
}

std::vector<Candidate> chenPlans(const PlanProblem &problem)
{
    const GreedyWalk first = greedyWalk(problem, 0);
    std::vector<Candidate> plans{{"chen, B = 0", build(problem, first.groups)}};
    const double middle = std::sqrt(static_cast<double>(first.between) * static_cast<double>(first.within));
    constexpr int kSteps = 6;
    for (int i = 0; i <= kSteps; ++i) {
        const auto limit = static_cast<Bytes>(middle * std::pow(2.0, -0.5 + static_cast<double>(i) / kSteps));
        plans.push_back({"chen, B = " + std::to_string(limit), build(problem, greedyWalk(problem, limit).groups)});
    }
    return plans;
}

std::vector<Candidate> squareRootPlans(const PlanProblem &problem)
{
    const int n = blocksOf(problem);
    const int k = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n)))));
    return {{"segments:" + std::to_string(k), build(problem, segments(n, k, false))}};
}

std::vector<Candidate> revolvePlans(const PlanProblem &problem)
{
    if (problem.blocks.empty())
        return {saveAllPlan(problem)};
    std::vector<Candidate> plans;
    for (int snapshots = 1; snapshots <= blocksOf(problem); ++snapshots)
        plans.push_back({"revolve, " + std::to_string(snapshots) + " snapshots", revolveSchedule(problem, snapshots)});
    return plans;
}

std::vector<Candidate> knapsackPlan(const PlanProblem &problem, Bytes budget)
{
    std::vector<std::vector<KnapsackChoice>> items;
    std::vector<std::vector<OptionPattern>> patterns;
    for (const BlockRange &block : problem.blocks) {
        patterns.push_back(patternsOf(problem, block));
        std::vector<KnapsackChoice> choices;
        Nanoseconds forward = 0;
        for (int stage = block.first; stage <= block.last; ++stage)
            forward += problem.costs.stages[static_cast<std::size_t>(stage)].forwardNs;
        for (const OptionPattern &pattern : patterns.back()) {
            KnapsackChoice choice;
            for (std::size_t i = 0; i < pattern.size(); ++i) {
                const StageCost &stage = problem.costs.stages[static_cast<std::size_t>(block.first) + i];
                choice.weight += stage.options.at(pattern[i]).saved + stage.output;
                choice.cost += stage.options.at(pattern[i]).rebuildNs;
            }
            choices.push_back(choice);
        }
        const int before = block.first - 1;
        choices.push_back(
            {before < 0 ? problem.costs.input : problem.costs.stages[static_cast<std::size_t>(before)].output,
             forward});
        items.push_back(std::move(choices));
    }
    const auto selection
        = solveKnapsack(items, budget - problem.costs.staticBytes - problem.costs.input, kKnapsackSlots, Rounding::up);
    if (!selection)
        return {};
    std::vector<BlockGroup> groups;
    std::vector<OptionPattern> chosen(items.size());
    for (std::size_t b = 0; b < items.size(); ++b) {
        const bool rerun = selection->chosen[b] == patterns[b].size();
        groups.push_back({static_cast<int>(b), static_cast<int>(b) + 1, rerun});
        if (!rerun)
            chosen[b] = patterns[b][selection->chosen[b]];
    }
    return {{"knapsack of saved bytes", build(problem, groups, chosen)}};
}

} // namespace remat::core
