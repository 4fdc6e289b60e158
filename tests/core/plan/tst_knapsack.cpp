// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/knapsack.h"

#include <functional>

#include "plan/bounds.h"
#include "plan/planner.h"
#include "support/naive_simulator.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

using Items = std::vector<std::vector<KnapsackChoice>>;

/// Keep what weighs `size` and is worth `value`, or pay `value` for nothing.
Items keepOrPay(const std::vector<std::pair<Bytes, Nanoseconds>> &sizes)
{
    Items items;
    for (const auto &[size, value] : sizes)
        items.push_back({{size, 0}, {0, value}});
    return items;
}

/// Least cost of all selections, by trying them all; -1: nothing fits.
Nanoseconds tryAll(const Items &items, Bytes capacity)
{
    Nanoseconds best = -1;
    const std::function<void(std::size_t, Bytes, Nanoseconds)> go = [&](std::size_t i, Bytes left, Nanoseconds cost) {
        if (left < 0)
            return;
        if (i == items.size()) {
            best = best < 0 ? cost : std::min(best, cost);
            return;
        }
        for (const KnapsackChoice &choice : items[i])
            go(i + 1, left - choice.weight, cost + choice.cost);
    };
    go(0, capacity, 0);
    return best;
}

Nanoseconds costOf(const Items &items, Bytes capacity)
{
    const auto selection = solveKnapsack(items, capacity, 1000, Rounding::up);
    return selection ? selection->cost : -1;
}

} // namespace

class tst_knapsack : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizes_areMetExactly()
    {
        const struct
        {
            std::vector<Bytes> sizes;
            std::vector<Bytes> limits;
        } sets[] = {{{11, 3, 4, 2}, {18, 17, 16, 15, 14, 13, 11, 7, 6, 5}}, {{3, 5, 11, 17, 14}, {42, 30, 19, 8, 3}}};
        for (const auto &set : sets) {
            Bytes sum = 0;
            std::vector<std::pair<Bytes, Nanoseconds>> pairs;
            for (const Bytes size : set.sizes) {
                pairs.emplace_back(size, size);
                sum += size;
            }
            for (const Bytes limit : set.limits)
                QCOMPARE(sum - costOf(keepOrPay(pairs), limit), limit);
        }
    }

    void pairsOfMemoryAndWork_haveThePublishedCosts()
    {
        QCOMPARE(costOf(keepOrPay({{4, 4}, {4, 8}}), 4), Nanoseconds(4));
        const Items three = keepOrPay({{16, 64}, {12, 72}, {12, 24}});
        QCOMPARE(costOf(three, 28), Nanoseconds(24));
        QCOMPARE(costOf(three, 16), Nanoseconds(88));
        QCOMPARE(int(solveKnapsack(three, 16, 1000, Rounding::up)->chosen[1]), 0);
    }

    void randomItems_matchTryingAll_andRoundToTheSafeSide()
    {
        RandomChains random(51);
        for (int i = 0; i < 300; ++i) {
            Items items(static_cast<std::size_t>(random.pick(0, 5)));
            for (auto &choices : items)
                for (Bytes k = random.pick(1, 3); k > 0; --k)
                    choices.push_back({random.pick(0, 40), random.pick(0, 20)});
            const Bytes capacity = random.pick(0, 120);
            const Nanoseconds exact = tryAll(items, capacity);
            QCOMPARE(costOf(items, capacity), exact);
            const auto up = solveKnapsack(items, capacity, 7, Rounding::up);
            const auto down = solveKnapsack(items, capacity, 7, Rounding::down);
            QVERIFY(!up || (exact >= 0 && up->cost >= exact));
            QVERIFY(exact < 0 || (down && down->cost <= exact));
            if (!up)
                continue;
            Bytes weight = 0;
            Nanoseconds cost = 0;
            for (std::size_t k = 0; k < items.size(); ++k) {
                weight += items[k][up->chosen[k]].weight;
                cost += items[k][up->chosen[k]].cost;
            }
            QVERIFY(weight <= capacity);
            QCOMPARE(cost, up->cost);
        }
        QVERIFY(!solveKnapsack({}, -1, 10, Rounding::up).has_value());
    }

    void bound_onEqualLayers_isTheClosedForm()
    {
        for (const int layers : {6, 24})
            for (const Bytes a : {3, 17}) {
                const ChainCosts costs = homogeneousChain(layers, a, 1, true);
                for (Bytes budget = a + 4; budget <= layers * a + 6; ++budget) {
                    const Bytes saved = std::min<Bytes>((budget - 3) / a, layers);
                    QCOMPARE(knapsackTimeBound(costs, budget), Nanoseconds(3 * layers + layers - saved));
                }
            }
    }

    void sumsOfSavedBytes_mislead()
    {
        // Dropping the first block's graph lowers the peak. With less to spend the cheapest sum drops the large last one
        // in its place: but that is made again while everything else is still held, and nothing is gained.
        const PlanProblem problem = planProblem(literatureChain(
            {{1, 1, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 4, 4, 4, 20}, {1, 3, 3, 3, 3, 3, 2}, {2, 6, 6, 6, 6, 6, 4}, {}, {}}));
        Planner knapsack = Planner::make(PlannerKind::knapsack, problem).value();
        Planner optimal = Planner::make(PlannerKind::optimal, problem).value();
        int over = 0;
        int rises = 0;
        Bytes last = -1;
        for (Bytes budget = 60; budget >= 10; --budget) {
            const PlanAnswer proxy = knapsack.plan(budget);
            const PlanAnswer best = optimal.plan(budget);
            QCOMPARE(proxy.feasible, proxy.plan.simulation.peak <= budget);
            const bool answered = proxy.feasible || proxy.plan.rule == "knapsack of saved bytes";
            over += answered && proxy.plan.simulation.peak > budget && best.feasible ? 1 : 0;
            rises += last >= 0 && proxy.plan.simulation.peak > last ? 1 : 0;
            last = proxy.plan.simulation.peak;
            if (best.feasible)
                QVERIFY(best.plan.simulation.peak <= budget);
            if (proxy.feasible)
                QVERIFY(best.plan.simulation.stepNs <= proxy.plan.simulation.stepNs);
        }
        qInfo("over budget %d times, a smaller budget had a larger peak %d times", over, rises);
        QVERIFY(over > 0);
        QVERIFY(rises > 0);
    }
};

REMAT_TEST(tst_knapsack);
#include "tst_knapsack.moc"
