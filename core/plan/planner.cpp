// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/planner.h"

#include <algorithm>
#include <cctype>

#include "plan/bounds.h"
#include "plan/chain_table.h"
#include "plan/simple_plans.h"
#include "plan/single_recompute.h"
#include "plan/working_set.h"

namespace remat::core {

namespace {

/// Budgets that are tried to find where a knapsack plan fits at all.
constexpr int kKnapsackProbes = 64;

/// A plan without its simulation: what choosing needs.
struct Point
{
    std::string rule;
    Schedule schedule;
    Bytes peak = 0;
    Nanoseconds time = 0;

    [[nodiscard]] bool betterThan(const Point &other) const
    {
        return time != other.time ? time < other.time : peak < other.peak;
    }
};

std::vector<Candidate> simpleCandidates(PlannerKind kind, const PlanProblem &problem)
{
    switch (kind) {
    case PlannerKind::everyBlock:
        return everyBlockPlans(problem);
    case PlannerKind::uniform:
        return uniformPlans(problem);
    case PlannerKind::prefix:
        return prefixPlans(problem);
    case PlannerKind::selective:
        return selectivePlans(problem);
    case PlannerKind::chen:
        return chenPlans(problem);
    case PlannerKind::squareRoot:
        return squareRootPlans(problem);
    case PlannerKind::revolve:
        return revolvePlans(problem);
    case PlannerKind::optimal:
    case PlannerKind::saveAll:
    case PlannerKind::singleRecompute:
    case PlannerKind::knapsack:
        return {saveAllPlan(problem)};
    }
    return {};
}

/// Those plans of a set that no other beats in both peak and time, from the smallest peak on.
std::vector<const Point *> paretoFront(std::vector<const Point *> points)
{
    std::sort(points.begin(), points.end(), [](const Point *a, const Point *b) {
        return a->peak != b->peak ? a->peak < b->peak : a->time < b->time;
    });
    std::vector<const Point *> front;
    for (const Point *point : points)
        if (front.empty() || point->time < front.back()->time)
            front.push_back(point);
    return front;
}

} // namespace

/// What a planner made once: its fixed set of schedules, part of it behind a table and only simulated when asked for.
class Planner::Tables
{
public:
    Tables(PlannerKind kind, PlanProblem problem)
        : m_kind(kind), m_problem(std::move(problem)), m_chain(planChain(m_problem.costs))
    {
    }

    Result<void> build(const PlannerLimits &limits, const std::stop_token &stop)
    {
        if (m_problem.costs.stages.empty())
            return Error{ErrorCode::refused, "There is nothing to plan: the chain has no stages."};
        if (auto added = addSimple(); !added)
            return added;
        if (m_kind == PlannerKind::optimal) {
            const Bytes largest = limits.largest > 0 ? std::max<Bytes>(tableBytes(limits.largest), 1) : 0;
            auto table = ChainTable::make(m_chain, {limits.slots, largest}, stop);
            if (!table)
                return table.error();
            m_optimal.emplace(std::move(*table));
            m_breakpoints = m_optimal->breakpoints();
        }
        if (m_kind == PlannerKind::singleRecompute) {
            m_single.emplace(m_chain, limits.slots);
            m_breakpoints = m_single->breakpoints();
        }
        return findSmallest();
    }

    PlanAnswer plan(Bytes budget)
    {
        PlanAnswer answer;
        const Point *best = m_kind == PlannerKind::knapsack ? knapsack(budget) : bestWithin(budget);
        answer.feasible = best != nullptr && best->peak <= budget;
        answer.plan = answerWith(best != nullptr ? *best : m_points[m_smallest]);
        answer.minFeasibleBudget = m_points[m_smallest].peak;
        answer.bindingOp = m_bindingOp;
        answer.boundNs = knapsackTimeBound(m_problem.costs, budget);
        return answer;
    }

    std::vector<Plan> front(int most)
    {
        const std::size_t step = std::max<std::size_t>(1, m_breakpoints.size() / static_cast<std::size_t>(most * 2));
        for (std::size_t i = 0; i < m_breakpoints.size(); i += step)
            (void)tablePoint(m_breakpoints[i]);
        if (!m_breakpoints.empty())
            (void)tablePoint(m_breakpoints.back());
        std::vector<const Point *> all;
        for (const Point &point : m_points)
            all.push_back(&point);
        for (const auto &[slots, point] : m_tablePoints)
            all.push_back(&point);
        const std::vector<const Point *> points = paretoFront(std::move(all));
        const Bytes least = points.front()->peak;
        const double range = static_cast<double>(points.back()->peak - least);
        std::vector<Plan> plans;
        std::size_t next = 0;
        for (int i = 0; i < most; ++i) {
            // The last one up to each of the equal parts of the range; the fastest ends it.
            const double end = i + 1 == most && most > 1 ? range : range * i / std::max(most - 1, 1);
            std::size_t last = points.size();
            for (; next < points.size() && static_cast<double>(points[next]->peak - least) <= end; ++next)
                last = next;
            if (last < points.size())
                plans.push_back(answerWith(*points[last]));
        }
        return plans;
    }

    [[nodiscard]] const PlanProblem &problem() const { return m_problem; }

private:
    [[nodiscard]] Result<Point> judge(Candidate candidate) const
    {
        const auto simulation = simulate(candidate.schedule, m_problem.costs);
        if (!simulation)
            return simulation.error();
        return Point{std::move(candidate.rule), std::move(candidate.schedule), simulation->peak, simulation->stepNs};
    }

    [[nodiscard]] Plan answerWith(const Point &point) const
    {
        // judge() has simulated it before, so it is valid.
        return {point.rule, point.schedule, simulate(point.schedule, m_problem.costs).value()};
    }

    Result<void> addSimple()
    {
        std::vector<PlannerKind> kinds{m_kind};
        if (m_kind == PlannerKind::optimal)
            kinds = {PlannerKind::optimal,   PlannerKind::everyBlock, PlannerKind::uniform,    PlannerKind::prefix,
                     PlannerKind::selective, PlannerKind::chen,       PlannerKind::squareRoot, PlannerKind::revolve};
        for (const PlannerKind kind : kinds)
            for (Candidate &candidate : simpleCandidates(kind, m_problem)) {
                auto point = judge(std::move(candidate));
                if (!point)
                    return point.error();
                m_points.push_back(std::move(*point));
            }
        return {};
    }

    Result<void> findSmallest()
    {
        if (m_kind == PlannerKind::optimal) {
            auto point = judge({"smallest peak", smallestPlan(m_chain).schedule});
            if (!point)
                return point.error();
            m_points.push_back(std::move(*point));
        } else if (m_kind == PlannerKind::singleRecompute && !m_breakpoints.empty()) {
            m_points.push_back(tablePoint(m_breakpoints.front()));
        } else if (m_kind == PlannerKind::knapsack) {
            addKnapsackProbes();
        }
        for (std::size_t i = 0; i < m_points.size(); ++i)
            if (m_points[i].peak < m_points[m_smallest].peak)
                m_smallest = i;
        // Where sizes are rounded, or counted longer than they are held, a plan of more slots may have the smallest peak.
        while (const Point *smaller = bestOfTable(m_points[m_smallest].peak - 1)) {
            m_points.push_back(*smaller);
            m_smallest = m_points.size() - 1;
        }
        const Plan smallest = answerWith(m_points[m_smallest]);
        m_bindingOp = peakOp(smallest.schedule, smallest.simulation);
        return {};
    }

    void addKnapsackProbes()
    {
        const Bytes most = m_points.front().peak;
        for (int i = 0; i <= kKnapsackProbes; ++i)
            for (Candidate &candidate :
                 knapsackPlan(m_problem, m_chain.base + (most - m_chain.base) * i / kKnapsackProbes))
                if (auto point = judge(std::move(candidate)))
                    m_points.push_back(std::move(*point));
    }

    const Point *knapsack(Bytes budget)
    {
        for (Candidate &candidate : knapsackPlan(m_problem, budget))
            if (auto point = judge(std::move(candidate))) {
                m_lastKnapsack = std::move(*point);
                return &m_lastKnapsack;
            }
        return nullptr;
    }

    const Point *bestWithin(Bytes budget)
    {
        const Point *best = nullptr;
        for (const Point &point : m_points)
            if (point.peak <= budget && (best == nullptr || point.betterThan(*best)))
                best = &point;
        const Point *fromTable = bestOfTable(budget);
        if (fromTable != nullptr && (best == nullptr || fromTable->betterThan(*best)))
            best = fromTable;
        return best;
    }

    /// What a plan may need by the table's count to have a peak of at most `budget`.
    [[nodiscard]] Bytes tableBytes(Bytes budget) const { return budget - m_chain.base + m_chain.countedLonger(); }

    /// Times fall from breakpoint to breakpoint, so the last one that fits is the best. Sizes are rounded up: plans for
    /// some slots more than there are may still fit.
    const Point *bestOfTable(Bytes budget)
    {
        if (m_breakpoints.empty() || tableBytes(budget) < 0)
            return nullptr;
        const Bytes slot = m_optimal ? m_optimal->slotBytes() : m_single->slotBytes();
        const Bytes rounding = m_optimal ? m_optimal->roundingSlots() : 3 * m_chain.size() + 4;
        const Bytes most = tableBytes(budget) / slot + rounding;
        auto last = std::upper_bound(m_breakpoints.begin(), m_breakpoints.end(), most);
        while (last != m_breakpoints.begin()) {
            const Point &point = tablePoint(*--last);
            if (point.peak <= budget)
                return &point;
        }
        return nullptr;
    }

    const Point &tablePoint(int slots)
    {
        const auto known = m_tablePoints.find(slots);
        if (known != m_tablePoints.end())
            return known->second;
        Candidate candidate{m_optimal ? "optimal" : "single recompute",
                            m_optimal ? m_optimal->schedule(slots) : m_single->schedule(slots)};
        // Schedules of a table are valid by construction.
        return m_tablePoints.emplace(slots, judge(std::move(candidate)).value()).first->second;
    }

    PlannerKind m_kind;
    PlanProblem m_problem;
    PlanChain m_chain;
    std::vector<Point> m_points;
    std::size_t m_smallest = 0;
    std::string m_bindingOp; // of the smallest
    std::optional<ChainTable> m_optimal;
    std::optional<SingleRecomputeTable> m_single;
    std::vector<int> m_breakpoints;
    std::map<int, Point> m_tablePoints;
    Point m_lastKnapsack;
};

Planner::Planner(std::unique_ptr<Tables> tables) : m_tables(std::move(tables)) { }
Planner::Planner(Planner &&) noexcept = default;
Planner &Planner::operator=(Planner &&) noexcept = default;
Planner::~Planner() = default;

Result<Planner> Planner::make(PlannerKind kind, PlanProblem problem, const PlannerLimits &limits, std::stop_token stop)
{
    auto tables = std::make_unique<Tables>(kind, std::move(problem));
    if (auto built = tables->build(limits, stop); !built)
        return built.error();
    return Planner(std::move(tables));
}

PlanAnswer Planner::plan(Bytes budget)
{
    return m_tables->plan(budget);
}

std::vector<Plan> Planner::front(int most)
{
    return m_tables->front(most);
}

const PlanProblem &Planner::problem() const
{
    return m_tables->problem();
}

const std::vector<PlannerInfo> &plannerTable()
{
    static const std::vector<PlannerInfo> table{
        {PlannerKind::optimal, "optimal", "the full dynamic program with options: best of all persistent schedules"},
        {PlannerKind::saveAll, "save-all", "nothing recomputed"},
        {PlannerKind::everyBlock, "every-block", "every block checkpointed, the last one rerun or kept"},
        {PlannerKind::uniform, "uniform", "segments of equal length, the best length that fits"},
        {PlannerKind::prefix, "prefix", "the first n blocks checkpointed, the rest saved"},
        {PlannerKind::selective, "selective", "one choice of options for all blocks"},
        {PlannerKind::chen, "chen", "greedy segments of Chen et al."},
        {PlannerKind::squareRoot, "sqrt", "segments of the square root of the number of blocks"},
        {PlannerKind::revolve, "revolve", "binomial checkpointing of block inputs (Griewank and Walther)"},
        {PlannerKind::singleRecompute, "single-recompute", "every stage rerun at most once, reruns without options"},
        {PlannerKind::knapsack, "knapsack", "caps the sum of saved bytes, not the peak: for comparison only"}};
    return table;
}

Result<PlannerKind> plannerFrom(std::string_view name)
{
    std::string names;
    for (const PlannerInfo &info : plannerTable()) {
        if (info.name == name)
            return info.kind;
        names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    return Error{ErrorCode::usage, "There is no planner '" + std::string(name) + "'; use one of " + names + "."};
}

std::string bindingWords(const std::string &op, const std::vector<std::string> &stageNames)
{
    if (op == "optimizer")
        return "the optimizer's update";
    if (op.empty() || op == "L")
        return "head and loss";
    std::size_t digits = 1;
    while (digits < op.size() && std::isdigit(static_cast<unsigned char>(op[digits])) != 0)
        ++digits;
    const auto stage = static_cast<std::size_t>(std::stoi(op.substr(1, digits - 1)));
    const std::string name = stage < stageNames.size() ? stageNames[stage] : "stage " + std::to_string(stage);
    return (op.front() == 'F' ? "the forward pair at " : "the working set of ") + name;
}

} // namespace remat::core
