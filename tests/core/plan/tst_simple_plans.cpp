// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/simple_plans.h"

#include <cmath>
#include <map>

#include "plan/chain_table.h"
#include "plan/revolve.h"
#include "plan/single_recompute.h"
#include "plan/slots.h"
#include "schedule/simulator.h"
#include "support/naive_simulator.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

Simulation run(const Schedule &schedule, const ChainCosts &costs)
{
    auto simulation = simulate(schedule, costs);
    if (!simulation)
        qFatal("%s", simulation.error().message.c_str());
    return std::move(*simulation);
}

PlanProblem equalLayers(int layers, Bytes a, Bytes b)
{
    return planProblem(homogeneousChain(layers, a, b, true));
}

/// Smallest peak at which every layer is rerun at most once: segment j of the staircase holds floor((P - j b) / a) layers,
/// with P = peak - 2 b.
Bytes staircase(int layers, Bytes a, Bytes b)
{
    for (Bytes p = a;; ++p) {
        Bytes held = 0;
        for (Bytes j = 1; j * b <= p; ++j)
            held += (p - j * b) / a;
        if (held >= layers)
            return p + 2 * b;
    }
}

/// Most block inputs at once that are held to be read again later, chain input included.
int mostSnapshots(const Schedule &schedule)
{
    std::vector<int> made(static_cast<std::size_t>(schedule.stages) + 1, -1);
    std::vector<std::pair<int, int>> lives; // made at, last read at
    std::vector<int> life(made.size(), -1);
    life[0] = 0;
    lives.push_back({-1, -1});
    for (int i = 0; i < static_cast<int>(schedule.ops.size()); ++i) {
        const Op &op = schedule.ops[static_cast<std::size_t>(i)];
        if (op.kind == OpKind::backward || op.kind == OpKind::loss)
            continue;
        lives[static_cast<std::size_t>(life[static_cast<std::size_t>(op.stage)])].second = i;
        life[static_cast<std::size_t>(op.stage) + 1] = static_cast<int>(lives.size());
        lives.push_back({i, i});
    }
    int most = 0;
    for (int at = 0; at < static_cast<int>(schedule.ops.size()); ++at)
        most = std::max(most, static_cast<int>(std::count_if(lives.begin(), lives.end(), [at](const auto &l) {
                            return l.first < at && l.second > at;
                        })));
    return most;
}

int forwards(const Schedule &schedule)
{
    return static_cast<int>(std::count_if(schedule.ops.begin(), schedule.ops.end(), [](const Op &op) {
        return op.kind == OpKind::forward || op.kind == OpKind::forwardSave;
    }));
}

const std::pair<Bytes, Bytes> kSizes[] = {{1, 1}, {3, 1}, {3, 2}, {17, 1}, {5, 4}};

} // namespace

class tst_simple_plans : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalLayers_haveTheClosedForms()
    {
        for (const Bytes n : {3, 4, 6, 8, 12, 24})
            for (const auto &[a, b] : kSizes) {
                const PlanProblem problem = equalLayers(static_cast<int>(n), a, b);
                const auto check = [&](const Candidate &plan, Bytes peak, Nanoseconds extra) {
                    const Simulation simulation = run(plan.schedule, problem.costs);
                    QVERIFY2(simulation.peak == peak && simulation.extraForwardNs == extra, plan.rule.c_str());
                    QCOMPARE(simulation.stepNs, 3 * n + extra);
                };
                check(saveAllPlan(problem), n * a + 3 * b, 0);
                check(everyBlockPlans(problem)[0], (n + 2) * b + a, n);
                check(everyBlockPlans(problem)[1], (n + 2) * b + a, n - 1);
                const auto uniform = uniformPlans(problem);
                QCOMPARE(Bytes(uniform.size()), 2 * n);
                for (Bytes k = 1; k <= n; ++k) {
                    if (n % k != 0)
                        continue;
                    check(uniform[std::size_t(2 * k - 2)], (n / k + 2) * b + k * a, n);
                    check(uniform[std::size_t(2 * k - 1)], (n / k + 2) * b + k * a, n - k);
                }
                const auto prefix = prefixPlans(problem);
                QCOMPARE(Bytes(prefix.size()), n + 1);
                for (Bytes k = 0; k < n; ++k)
                    check(prefix[std::size_t(k)], k * b + (n - k) * a + 3 * b, k);
                check(revolvePlans(problem)[0], a + 4 * b, n * (n - 1) / 2);
            }
    }

    void revolve_hasTheTable_andItsSchedules()
    {
        const int snapshots[] = {1, 2, 3, 4, 5, 6, 8, 10};
        const std::map<int, std::vector<std::int64_t>> table = {{10, {45, 20, 15, 14, 13, 12, 10, 9}},
                                                                {12, {66, 28, 21, 18, 17, 16, 14, 12}},
                                                                {24, {276, 88, 61, 51, 44, 40, 38, 36}},
                                                                {80, {3160, 596, 354, 274, 236, 204, 185, 162}}};
        for (const auto &[n, row] : table)
            for (std::size_t i = 0; i < row.size(); ++i) {
                QCOMPARE(revolveExtraForwards(n, snapshots[i]), row[i]);
                const Schedule schedule = revolveSchedule(equalLayers(n, 3, 1), snapshots[i]);
                QCOMPARE(std::int64_t(forwards(schedule)), n + row[i]);
                QVERIFY(mostSnapshots(schedule) <= snapshots[i]);
            }
    }

    void revolve_isTheRecursion_andKeepsToItsSnapshots()
    {
        std::map<std::pair<int, int>, std::int64_t> p;
        for (int s = 1; s <= 12; ++s)
            for (int n = 1; n <= 60; ++n) {
                std::int64_t least = n == 1 ? 0 : std::int64_t(n) * (n - 1) / 2;
                for (int i = 1; i < n && s > 1; ++i)
                    least = std::min(least, i + p[{i, s}] + p[{n - i, s - 1}]);
                p[{n, s}] = least;
                QCOMPARE(revolveExtraForwards(n, s), least);
                if (n % 3 != 0)
                    continue;
                const PlanProblem problem = equalLayers(n, 2, 1);
                const Schedule schedule = revolveSchedule(problem, s);
                QCOMPARE(run(schedule, problem.costs).extraForwardNs, Nanoseconds(least));
                QVERIFY2(mostSnapshots(schedule) <= s, qPrintable(QString("%1 steps, %2 snapshots").arg(n).arg(s)));
            }
    }

    void staircase_isTheSmallestPeakOfSingleReruns()
    {
        const struct
        {
            Bytes a, b;
            int layers;
            Bytes uniform, staircase;
        } rows[]
            = {{1, 1, 16, 10, 9}, {1, 1, 80, 19, 16}, {3, 1, 32, 21, 18}, {17, 1, 24, 43, 40}, {17, 1, 80, 76, 63}};
        for (const auto &row : rows) {
            const PlanProblem problem = equalLayers(row.layers, row.a, row.b);
            const PlanChain chain = planChain(problem.costs);
            QCOMPARE(staircase(row.layers, row.a, row.b), row.staircase);
            Bytes uniform = saveAllPeak(chain, 1);
            for (const Candidate &plan : uniformPlans(problem))
                uniform = std::min(uniform, run(plan.schedule, problem.costs).peak);
            QCOMPARE(uniform, row.uniform);
            const SingleRecomputeTable table(chain, static_cast<int>(saveAllPeak(chain, 1)));
            QCOMPARE(table.slotBytes(), Bytes(1));
            QCOMPARE(table.breakpoints().front() + row.b, row.staircase);
            QCOMPARE(run(table.schedule(table.breakpoints().front()), problem.costs).peak, row.staircase);
        }
    }

    void singleReruns_onEqualLayers_areOptimalWhereTheyFit()
    {
        const std::pair<int, Bytes> chains[] = {{6, 1}, {8, 3}, {12, 5}, {24, 17}, {80, 17}};
        for (const auto &[layers, a] : chains) {
            const PlanProblem problem = equalLayers(layers, a, 1);
            const PlanChain chain = planChain(problem.costs);
            const int bytes = static_cast<int>(saveAllPeak(chain, 1));
            const SingleRecomputeTable single(chain, bytes);
            const auto full = ChainTable::make(chain, {bytes, 0}).value();
            QVERIFY(std::isinf(single.time(single.breakpoints().front() - 1)));
            for (int m = single.breakpoints().front(); m <= bytes; ++m)
                QCOMPARE(single.time(m), full.time(m));
            QVERIFY(full.breakpoints().front() + 1 == a + 4);
        }
    }

    void singleReruns_onUnlikeStages_areValidAndNeverBetterThanTheOptimum_data()
    {
        QTest::addColumn<bool>("plain");
        QTest::addColumn<int>("mostSlower"); // percent of the pairs
        QTest::newRow("literature") << true << 6;
        QTest::newRow("options, gradients, phantoms") << false << 60;
    }
    void singleReruns_onUnlikeStages_areValidAndNeverBetterThanTheOptimum()
    {
        QFETCH(bool, plain);
        QFETCH(int, mostSlower);
        RandomChains random(41);
        int pairs = 0;
        int slower = 0;
        for (int i = 0; i < 100; ++i) {
            ChainRecipe recipe;
            recipe.stages = static_cast<int>(random.pick(2, 10));
            recipe.options = plain ? 1 : 2;
            recipe.gradients = recipe.phantoms = !plain;
            recipe.keepOutputs = plain;
            const ChainCosts costs = random.make(recipe);
            const PlanChain chain = planChain(costs);
            const int bytes = static_cast<int>(saveAllPeak(chain, 1));
            const SingleRecomputeTable single(chain, bytes);
            const auto full = ChainTable::make(chain, {bytes, 0}).value();
            for (int m = single.breakpoints().front(); m <= bytes; ++m) {
                ++pairs;
                slower += single.time(m) > full.time(m) ? 1 : 0;
                QVERIFY2(single.time(m) >= full.time(m), describe(costs).c_str());
                const Simulation simulation = run(single.schedule(m), costs);
                QVERIFY2(simulation.peak <= std::max(chain.base + m, chain.floor), describe(costs).c_str());
                QCOMPARE(static_cast<double>(simulation.stepNs), single.time(m));
                QVERIFY(forwards(single.schedule(m)) <= 2 * recipe.stages);
            }
        }
        qInfo("%d pairs, %d slower", pairs, slower);
        QVERIFY(slower > 0 && slower * 100 <= mostSlower * pairs);
    }

    void chenAndSquareRoot_rerunEverything()
    {
        const PlanProblem problem = equalLayers(16, 3, 1);
        const auto plans = chenPlans(problem);
        QCOMPARE(forwards(plans[0].schedule), 32);
        QCOMPARE(run(plans[0].schedule, problem.costs).peak, Bytes(16 + 2 + 3));
        Bytes least = run(plans[0].schedule, problem.costs).peak;
        for (const Candidate &plan : plans)
            least = std::min(least, run(plan.schedule, problem.costs).peak);
        QVERIFY(least < run(plans[0].schedule, problem.costs).peak);
        QCOMPARE(squareRootPlans(problem)[0].rule, std::string("segments:4"));
        QCOMPARE(run(squareRootPlans(problem)[0].schedule, problem.costs).peak, Bytes((16 / 4 + 2) + 4 * 3));
    }

    void selective_takesEveryChoiceOfOptionsForAllBlocks()
    {
        RandomChains random(42);
        ChainRecipe recipe;
        recipe.options = 2;
        PlanProblem problem = planProblem(random.make(recipe));
        problem.blocks = {{0, 1}, {2, 3}};
        const auto plans = selectivePlans(problem);
        QCOMPARE(int(plans.size()), 4);
        QCOMPARE(plans[3].rule, std::string("selective:1+1"));
        QCOMPARE(toString(plans[1].schedule.ops[1]), std::string("E1:1"));
        QCOMPARE(toString(plans[1].schedule.ops[2]), std::string("E2"));
        problem.costs.stages[2].options.erase("1");
        QCOMPARE(int(selectivePlans(problem).size()), 2);
    }

    void noBlocks_leaveSaveAll()
    {
        PlanProblem problem = equalLayers(3, 3, 1);
        problem.blocks.clear();
        const Schedule all = saveAllPlan(problem).schedule;
        for (const auto &plans :
             {everyBlockPlans(problem), uniformPlans(problem), prefixPlans(problem), selectivePlans(problem),
              chenPlans(problem), squareRootPlans(problem), revolvePlans(problem), knapsackPlan(problem, 1000)}) {
            QVERIFY(!plans.empty());
            for (const Candidate &plan : plans)
                QVERIFY2(plan.schedule == all, plan.rule.c_str());
        }
    }
};

REMAT_TEST(tst_simple_plans);
#include "tst_simple_plans.moc"
