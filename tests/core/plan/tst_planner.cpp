// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/planner.h"

#include "plan/bounds.h"
#include "plan/chain_table.h"
#include "plan/working_set.h"
#include "support/naive_simulator.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr int kBudgets = 60;

Planner planner(PlannerKind kind, const PlanProblem &problem, const PlannerLimits &limits = {})
{
    auto made = Planner::make(kind, problem, limits);
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

/// Some chain with everything that a model's has; its blocks are single stages, or pairs with stages outside.
PlanProblem anyProblem(RandomChains &random, int mostStages)
{
    ChainRecipe recipe = random.anyRecipe(mostStages);
    recipe.surroundings = random.chance(75);
    ChainCosts costs = random.make(recipe);
    if (random.chance(40))
        random.repeatStages(costs);
    PlanProblem problem = planProblem(std::move(costs));
    if (random.chance(50)) {
        problem.blocks.clear();
        const Bytes first = std::max<Bytes>(problem.costs.firstTrainable, random.pick(0, 1));
        for (int i = static_cast<int>(first); i + 1 < recipe.stages; i += 2)
            problem.blocks.push_back({i, i + 1});
    }
    return problem;
}

std::vector<Bytes> budgetsOf(Planner &planner, Bytes largest)
{
    const Bytes least = planner.plan(0).minFeasibleBudget;
    std::vector<Bytes> budgets{least - 1};
    for (int i = 0; i <= kBudgets; ++i)
        budgets.push_back(least + (largest - least + 2) * i / kBudgets);
    return budgets;
}

Bytes saveAllPeakOf(const PlanProblem &problem)
{
    return planner(PlannerKind::saveAll, problem).plan(0).minFeasibleBudget;
}

/// Empty where an answer keeps its promises; the simulator is checked by the naive one.
std::string problemOf(const PlanAnswer &answer, Bytes budget, const ChainCosts &costs)
{
    const Simulation &simulation = answer.plan.simulation;
    const auto again = simulate(answer.plan.schedule, costs);
    if (!again)
        return again.error().message;
    if (again->peak != simulation.peak || again->stepNs != simulation.stepNs)
        return "another simulation than the plan's";
    if (naiveSimulation(answer.plan.schedule, costs).peak != simulation.peak)
        return "another peak than the naive one";
    if (answer.feasible != (simulation.peak <= budget))
        return "feasible by mistake";
    if (answer.feasible != (budget >= answer.minFeasibleBudget))
        return "the smallest budget is another one";
    if (!answer.feasible && simulation.peak != answer.minFeasibleBudget)
        return "the plan of an infeasible answer is not the smallest";
    if (answer.feasible && (answer.boundNs < 0 || answer.boundNs > simulation.stepNs))
        return "the bound " + std::to_string(answer.boundNs) + " is above " + std::to_string(simulation.stepNs);
    if (answer.bindingOp.empty())
        return "no op sets the smallest budget";
    return {};
}

/// Walks budgets upwards; empty where every answer is right and neither peak nor speed falls.
std::string walk(PlannerKind kind, const PlanProblem &problem, Bytes largest)
{
    Planner asked = planner(kind, problem);
    Bytes peak = 0;
    Nanoseconds time = std::numeric_limits<Nanoseconds>::max();
    for (const Bytes budget : budgetsOf(asked, largest)) {
        const PlanAnswer answer = asked.plan(budget);
        std::string wrong = problemOf(answer, budget, problem.costs);
        if (answer.feasible && wrong.empty() && answer.plan.simulation.peak < peak)
            wrong = "a larger budget has a smaller peak";
        if (answer.feasible && wrong.empty() && answer.plan.simulation.stepNs > time)
            wrong = "a larger budget is slower";
        if (!wrong.empty())
            return std::string(plannerTable()[std::size_t(kind)].name) + " at " + std::to_string(budget) + ": " + wrong
                + ": " + describe(problem.costs);
        if (answer.feasible) {
            peak = answer.plan.simulation.peak;
            time = answer.plan.simulation.stepNs;
        }
    }
    return {};
}

} // namespace

class tst_planner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPlanner_keepsItsPromises_data()
    {
        QTest::addColumn<int>("kind");
        for (const PlannerInfo &info : plannerTable())
            if (info.kind != PlannerKind::knapsack)
                QTest::newRow(std::string(info.name).c_str()) << static_cast<int>(info.kind);
    }
    void everyPlanner_keepsItsPromises()
    {
        QFETCH(int, kind);
        RandomChains random(31);
        for (int i = 0; i < 150; ++i) {
            const PlanProblem problem = anyProblem(random, 7);
            const std::string wrong = walk(static_cast<PlannerKind>(kind), problem, saveAllPeakOf(problem));
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
    }

    void sizesOfModels_keepTheirPromises()
    {
        // Slots are no longer bytes.
        RandomChains random(32);
        for (const PlannerKind kind : {PlannerKind::optimal, PlannerKind::singleRecompute, PlannerKind::revolve})
            for (int i = 0; i < 3; ++i) {
                ChainRecipe recipe;
                recipe.stages = 16;
                recipe.options = 3;
                recipe.mostSize = 900'000'000;
                recipe.mostTransient = 300'000'000;
                recipe.phantoms = recipe.surroundings = true;
                recipe.keepOutputs = false;
                PlanProblem problem = planProblem(random.make(recipe));
                if (i == 0)
                    random.repeatStages(problem.costs);
                const std::string wrong = walk(kind, problem, saveAllPeakOf(problem));
                QVERIFY2(wrong.empty(), wrong.c_str());
            }
    }

    void optimal_isNeverBeaten()
    {
        RandomChains random(33);
        for (int i = 0; i < 200; ++i) {
            const PlanProblem problem = anyProblem(random, 7);
            Planner optimal = planner(PlannerKind::optimal, problem);
            const bool exact = planChain(problem.costs).countedLonger() == 0;
            for (const PlannerInfo &info : plannerTable()) {
                if (!exact && (info.kind == PlannerKind::singleRecompute || info.kind == PlannerKind::knapsack))
                    continue;
                Planner other = planner(info.kind, problem);
                for (const Plan &plan : other.front(1000)) {
                    const PlanAnswer best = optimal.plan(plan.simulation.peak);
                    const std::string what = plan.rule + ": " + describe(problem.costs);
                    QVERIFY2(best.feasible, what.c_str());
                    QVERIFY2(best.plan.simulation.stepNs <= plan.simulation.stepNs, what.c_str());
                }
            }
        }
    }

    void bounds_holdForEverySchedule()
    {
        RandomChains random(34);
        for (int i = 0; i < 200; ++i) {
            const PlanProblem problem = anyProblem(random, 6);
            const PlanChain chain = planChain(problem.costs);
            for (const PlannerInfo &info : plannerTable()) {
                Planner some = planner(info.kind, problem);
                for (const Plan &plan : some.front(1000)) {
                    const Simulation &simulation = plan.simulation;
                    const std::string what = plan.rule + ": " + describe(problem.costs);
                    const Nanoseconds bound = knapsackTimeBound(problem.costs, simulation.peak);
                    QVERIFY2(bound >= 0 && bound <= simulation.stepNs, what.c_str());
                    QVERIFY2(workingSetBound(chain) + chain.base <= simulation.peak, what.c_str());
                    QVERIFY2(chain.floor <= simulation.peak, what.c_str());
                }
            }
            QCOMPARE(knapsackTimeBound(problem.costs, problem.costs.staticBytes - 1), Nanoseconds(-1));
        }
    }

    void front_isAFront_andNoLongerThanAsked()
    {
        RandomChains random(35);
        for (int i = 0; i < 60; ++i) {
            const PlanProblem problem = anyProblem(random, 9);
            for (const PlannerKind kind : {PlannerKind::optimal, PlannerKind::uniform, PlannerKind::singleRecompute})
                for (const int most : {1, 2, 3, 8, 64}) {
                    Planner asked = planner(kind, problem);
                    const std::vector<Plan> front = asked.front(most);
                    QVERIFY(!front.empty());
                    QVERIFY2(front.size() <= std::size_t(most), describe(problem.costs).c_str());
                    for (std::size_t p = 1; p < front.size(); ++p) {
                        QVERIFY(front[p - 1].simulation.peak < front[p].simulation.peak);
                        QVERIFY(front[p - 1].simulation.stepNs > front[p].simulation.stepNs);
                    }
                    if (most > 1)
                        QCOMPARE(front.front().simulation.peak, asked.plan(0).minFeasibleBudget);
                }
        }
    }

    void aLargestBudget_changesNoAnswerUpToIt()
    {
        RandomChains random(36);
        for (int i = 0; i < 60; ++i) {
            const PlanProblem problem = anyProblem(random, 7);
            Planner all = planner(PlannerKind::optimal, problem);
            const Bytes least = all.plan(0).minFeasibleBudget;
            const Bytes largest = random.pick(least, saveAllPeakOf(problem) + 1);
            Planner some = planner(PlannerKind::optimal, problem, {largest, 0});
            for (Bytes budget = least - 1; budget <= largest; ++budget)
                QVERIFY2(some.plan(budget).plan.simulation.stepNs == all.plan(budget).plan.simulation.stepNs,
                         describe(problem.costs).c_str());
        }
    }

    void thousandsOfUnlikeStages_areRefusedInASentence()
    {
        RandomChains random(37);
        ChainRecipe recipe;
        recipe.stages = 3000;
        recipe.mostSize = 1'000'000'000;
        const auto table = ChainTable::make(planChain(random.make(recipe)), {});
        QVERIFY(!table.has_value());
        QVERIFY(table.error().message.ends_with('.'));
    }

    void names_andWords()
    {
        for (std::size_t i = 0; i < plannerTable().size(); ++i) {
            QCOMPARE(static_cast<std::size_t>(plannerTable()[i].kind), i);
            QVERIFY(plannerFrom(plannerTable()[i].name).value() == plannerTable()[i].kind);
        }
        const auto none = plannerFrom("best");
        QVERIFY(!none.has_value() && none.error().code == ErrorCode::usage && none.error().message.ends_with('.'));
        QCOMPARE(bindingWords("B1", {"embedding", "layer 0"}), std::string("the working set of layer 0"));
        QCOMPARE(bindingWords("E1:lean", {"embedding", "layer 0"}), std::string("the working set of layer 0"));
        QCOMPARE(bindingWords("F12", {}), std::string("the forward pair at stage 12"));
        QCOMPARE(bindingWords("L", {}), std::string("head and loss"));
        QCOMPARE(bindingWords("optimizer", {}), std::string("the optimizer's update"));
    }

    void noStages_areRefused()
    {
        const auto made = Planner::make(PlannerKind::optimal, planProblem(ChainCosts()));
        QVERIFY(!made.has_value());
        QVERIFY(made.error().message.ends_with('.'));
    }
};

REMAT_TEST(tst_planner);
#include "tst_planner.moc"
