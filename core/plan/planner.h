// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan_problem.h"
#include "schedule/simulator.h"

namespace remat::core {

/// How a plan is looked for; `optimal` is the full dynamic program with options.
enum class PlannerKind {
    optimal,
    saveAll,
    everyBlock,
    uniform,
    prefix,
    selective,
    chen,
    squareRoot,
    revolve,
    singleRecompute,
    knapsack
};

struct PlannerInfo
{
    PlannerKind kind = PlannerKind::optimal;
    std::string_view name; // as the command line spells it
    std::string_view rule;
};
[[nodiscard]] const std::vector<PlannerInfo> &plannerTable();
[[nodiscard]] Result<PlannerKind> plannerFrom(std::string_view name);

/// A schedule with what the simulator, the one judge of all planners, says of it.
struct Plan
{
    std::string rule;
    Schedule schedule;
    Simulation simulation;
};

/// The answer for one budget. Where nothing fits, `plan` is the one with the smallest peak.
struct PlanAnswer
{
    bool feasible = false;
    Plan plan;
    Bytes minFeasibleBudget = 0; // of this planner
    std::string bindingOp;       // the op that sets that smallest budget: "B3", "L", "F2", "optimizer"
    Nanoseconds boundNs = -1;    // no schedule within the budget is faster; -1: none fits
};

struct PlannerLimits
{
    Bytes largest = 0; // the largest budget that will be asked for; 0: any
    int slots = 0;     // of the table; 0: as fine as needed
};

/// Plans for any budget, from tables made once: asking is quick enough for a line that is being dragged. All kinds are
/// judged by simulated peak and time. What it offers is one fixed set of schedules, of which the fastest that fits is
/// taken, so a smaller budget never gives a larger peak (save for `knapsack`, which is there to show the opposite). The
/// set of `optimal` contains the plans of all planners that follow a rule, and beats the two others' where nothing is
/// counted longer than it is held (PlanChain::countedLonger). A value of one thread: answers are remembered.
class Planner
{
public:
    [[nodiscard]] static Result<Planner> make(PlannerKind kind, PlanProblem problem, const PlannerLimits &limits = {},
                                              std::stop_token stop = {});
    Planner(Planner &&) noexcept;
    Planner &operator=(Planner &&) noexcept;
    ~Planner();

    [[nodiscard]] PlanAnswer plan(Bytes budget);

    /// The Pareto front, from the smallest peak to the fastest: at most `most` plans, thinned evenly in memory.
    [[nodiscard]] std::vector<Plan> front(int most = 64);

    [[nodiscard]] const PlanProblem &problem() const;

private:
    class Tables;
    explicit Planner(std::unique_ptr<Tables> tables);
    std::unique_ptr<Tables> m_tables;
};

/// What the binding op of an answer means: "the working set of layer 3 · attention", "head and loss", …
[[nodiscard]] std::string bindingWords(const std::string &op, const std::vector<std::string> &stageNames);

} // namespace remat::core
