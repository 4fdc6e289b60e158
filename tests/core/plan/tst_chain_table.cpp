// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/chain_table.h"

#include <cmath>

#include "plan/revolve.h"
#include "plan/slots.h"
#include "plan/working_set.h"
#include "schedule/simulator.h"
#include "support/naive_simulator.h"
#include "support/random_chain.h"
#include "support/recursive_plan.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

ChainTable table(const PlanChain &chain, int slots)
{
    auto made = ChainTable::make(chain, {slots, 0});
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

/// A table whose slots are bytes.
ChainTable exactTable(const PlanChain &chain)
{
    return table(chain, static_cast<int>(saveAllPeak(chain, 1)));
}

/// Extra forward steps of the optimum of N equal layers (backward 2, forward 1) with a budget that counts the input.
double extraForwards(const ChainTable &exact, int layers, Bytes budget, Bytes input)
{
    return exact.time(static_cast<int>(budget - input)) - 3.0 * layers;
}

ChainCosts scaled(ChainCosts costs, Bytes bytes, Nanoseconds time)
{
    const auto grow = [bytes](Transient &t) { t = {t.total * bytes, t.activation * bytes}; };
    costs.input *= bytes;
    grow(costs.loss.first);
    costs.loss.gradientGrowth *= bytes;
    costs.loss.ns *= time;
    for (StageCost &stage : costs.stages) {
        stage.output *= bytes;
        stage.gradientGrowth *= bytes;
        stage.forwardNs *= time;
        grow(stage.forward);
        for (auto &[id, option] : stage.options) {
            option.saved *= bytes;
            for (Transient *t : {&option.forwardSave, &option.forwardSavePhantom, &option.backwardFirst})
                grow(*t);
            for (Nanoseconds *t : {&option.forwardSaveNs, &option.phantomNs, &option.backwardNs, &option.rebuildNs})
                *t *= time;
        }
    }
    return costs;
}

/// A chain in which the same stages come again, so that intervals share rows.
ChainCosts repeated(RandomChains &random)
{
    ChainRecipe recipe = random.anyRecipe(3);
    const ChainCosts part = random.make(recipe);
    ChainCosts costs = part;
    for (Bytes i = random.pick(1, 2); i > 0; --i)
        costs.stages.insert(costs.stages.end(), part.stages.begin(), part.stages.end());
    if (random.chance(50))
        costs.stages.insert(costs.stages.begin() + random.pick(0, recipe.stages),
                            random.make(random.anyRecipe(1)).stages.front());
    return costs;
}

/// Empty where the table has the recursion's value at every memory.
std::string difference(const ChainCosts &costs)
{
    const PlanChain chain = planChain(costs);
    const ChainTable exact = exactTable(chain);
    if (exact.slotBytes() != 1)
        return "the slot is no byte";
    RecursivePlan recursion(costs);
    const int most = static_cast<int>(saveAllPeak(chain, 1)) + 8;
    for (int m = 0; m <= most; ++m) {
        const auto wanted = recursion.time(chain.base + m);
        const double got = exact.time(m);
        if (wanted ? got != static_cast<double>(*wanted) : !std::isinf(got))
            return "at " + std::to_string(m) + " " + std::to_string(got) + " in place of "
                + (wanted ? std::to_string(*wanted) : "nothing") + ": " + describe(costs);
        if (!wanted)
            continue;
        const auto simulation = simulate(exact.schedule(m), costs);
        if (!simulation)
            return simulation.error().message;
        if (simulation->stepNs != *wanted || simulation->peak > std::max(chain.base + m, chain.floor))
            return "the schedule at " + std::to_string(m) + " is another one: " + describe(costs);
    }
    return {};
}

} // namespace

class tst_chain_table : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomChains_haveTheRecursionsValues()
    {
        RandomChains random(11);
        for (int i = 0; i < 250; ++i) {
            const std::string problem = difference(random.make(random.anyRecipe(7)));
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }

    void repeatedStages_haveTheRecursionsValues()
    {
        RandomChains random(12);
        for (int i = 0; i < 80; ++i) {
            const std::string problem = difference(repeated(random));
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }

    void equalLayers_haveThePublishedOptima()
    {
        // A value holds until the next budget listed.
        const std::map<Bytes, int> six{{7, 15}, {8, 8}, {9, 6}, {10, 5}, {11, 4}, {13, 3}, {16, 2}, {19, 1}, {21, 0}};
        const std::map<Bytes, int> eight{{5, 27}, {6, 10}, {7, 6}, {8, 4}, {9, 3}, {10, 2}, {11, 0}};
        const struct
        {
            int layers;
            Bytes a;
            const std::map<Bytes, int> &optima;
        } tables[] = {{6, 3, six}, {8, 1, eight}};
        for (const auto &[layers, a, optima] : tables) {
            const ChainTable exact = exactTable(planChain(homogeneousChain(layers, a, 1, true)));
            QVERIFY(std::isinf(extraForwards(exact, layers, optima.begin()->first - 1, 1)));
            for (Bytes budget = optima.begin()->first; budget <= 30; ++budget)
                QCOMPARE(extraForwards(exact, layers, budget, 1),
                         static_cast<double>(std::prev(optima.upper_bound(budget))->second));
        }
    }

    void unlikeStages_haveThePublishedOptima()
    {
        const ChainCosts costs = literatureChain({{2, 3, 1, 2, 2, 1},
                                                  {7, 4, 6, 5, 3},
                                                  {3, 2, 4, 2, 1},
                                                  {6, 5, 7, 4, 2},
                                                  {1, 0, 2, 0, 1},
                                                  {2, 1, 0, 1, 0, 3}});
        const std::map<Bytes, int> optima{{16, 49}, {17, 48}, {18, 45}, {19, 43}, {20, 42}, {21, 41},
                                          {26, 40}, {27, 39}, {28, 38}, {30, 37}, {31, 36}};
        const ChainTable exact = exactTable(planChain(costs));
        QVERIFY(std::isinf(exact.time(15 - 2)));
        for (int budget = 16; budget <= 40; ++budget)
            QCOMPARE(exact.time(budget - 2), static_cast<double>(std::prev(optima.upper_bound(budget))->second));
    }

    void equalLayers_belowTwoGraphs_areRevolve()
    {
        for (const int layers : {4, 10, 24})
            for (const Bytes a : {5, 9, 17}) {
                const ChainTable exact = exactTable(planChain(homogeneousChain(layers, a, 1, true)));
                for (Bytes budget = a + 4; budget < 2 * a + 3; ++budget) {
                    const std::int64_t snapshots = std::min<std::int64_t>(layers - 1, budget - a - 3);
                    QCOMPARE(extraForwards(exact, layers, budget, 1),
                             static_cast<double>(revolveExtraForwards(layers, snapshots)));
                }
            }
    }

    void memory_neverCosts_andAllOfItIsSaveAll()
    {
        RandomChains random(13);
        for (int i = 0; i < 100; ++i) {
            ChainRecipe recipe = random.anyRecipe(9);
            recipe.options = 1;
            const ChainCosts costs = random.make(recipe);
            const PlanChain chain = planChain(costs);
            const ChainTable exact = exactTable(chain);
            const int all = static_cast<int>(saveAllPeak(chain, 1));
            for (int m = 1; m <= all + 3; ++m)
                QVERIFY(exact.time(m) <= exact.time(m - 1));
            Nanoseconds sum = costs.loss.ns;
            for (const StageCost &stage : costs.stages)
                sum += stage.options.at("").forwardSaveNs + stage.options.at("").backwardNs;
            QCOMPARE(exact.time(all), static_cast<double>(sum));
            QVERIFY(std::isinf(exact.time(static_cast<int>(workingSetBound(chain)) - 1)));
            QVERIFY(std::isinf(exact.time(static_cast<int>(smallestPlan(chain).peak) - 1)));
            QVERIFY(!std::isinf(exact.time(static_cast<int>(smallestPlan(chain).peak))));
            std::vector<int> drops;
            for (int m = 0; m <= all; ++m)
                if (!std::isinf(exact.time(m)) && (m == 0 || exact.time(m) < exact.time(m - 1)))
                    drops.push_back(m);
            QVERIFY(drops == exact.breakpoints());
        }
    }

    void scaling_scales()
    {
        RandomChains random(14);
        for (int i = 0; i < 40; ++i) {
            const ChainCosts costs = random.make(random.anyRecipe(6));
            const PlanChain chain = planChain(costs);
            const ChainTable plain = exactTable(chain);
            const ChainTable slow = exactTable(planChain(scaled(costs, 1, 7)));
            const PlanChain large = planChain(scaled(costs, 1000, 1));
            const ChainTable wide = table(large, static_cast<int>(saveAllPeak(large, 1) / 1000));
            QCOMPARE(wide.slotBytes(), Bytes(1000));
            for (int m = 0; m <= saveAllPeak(chain, 1); ++m) {
                QCOMPARE(slow.time(m), 7 * plain.time(m));
                QCOMPARE(wide.time(m), plain.time(m));
            }
        }
    }

    void betterChains_areNeverSlower()
    {
        RandomChains random(15);
        for (int i = 0; i < 60; ++i) {
            const ChainCosts costs = random.make(random.anyRecipe(6));
            ChainCosts lower = costs;
            StageCost &stage = lower.stages[std::size_t(random.pick(0, Bytes(costs.stages.size()) - 1))];
            stage.forward.total = stage.output;
            stage.options[""].backwardFirst.total = 0;
            ChainCosts more = costs;
            more.stages.front().options["7"]
                = random.make({1, 1, 6, 4, false, true, false, false}).stages[0].options[""];
            ChainCosts longer = costs;
            longer.stages.push_back(costs.stages.back());
            const ChainTable plain = exactTable(planChain(costs));
            const ChainTable lowerTable = exactTable(planChain(lower));
            const ChainTable moreTable = exactTable(planChain(more));
            const ChainTable longerTable = exactTable(planChain(longer));
            for (int m = 0; m <= 140; ++m) {
                QVERIFY2(lowerTable.time(m) <= plain.time(m), describe(costs).c_str());
                QVERIFY2(moreTable.time(m) <= plain.time(m), describe(costs).c_str());
                QVERIFY2(longerTable.time(m) >= plain.time(m), describe(costs).c_str());
            }
        }
    }

    void coarseSlots_keepTheBudget_andCostLittle()
    {
        RandomChains random(16);
        for (int i = 0; i < 60; ++i) {
            ChainRecipe recipe = random.anyRecipe(8);
            recipe.mostSize = 500;
            recipe.mostTransient = 300;
            const ChainCosts costs = random.make(recipe);
            const PlanChain chain = planChain(costs);
            RecursivePlan recursion(costs);
            const ChainTable coarse = table(chain, 40);
            for (const int m : coarse.breakpoints()) {
                const Bytes budget = chain.base + m * coarse.slotBytes();
                const auto simulation = simulate(coarse.schedule(m), costs);
                QVERIFY2(simulation.has_value(), describe(costs).c_str());
                QVERIFY2(simulation->peak <= std::max(budget, chain.floor), describe(costs).c_str());
                QCOMPARE(static_cast<double>(simulation->stepNs), coarse.time(m));
            }
        }
    }

    void discretisation_costsAtMostOneLayerAtFiveHundredSlots()
    {
        constexpr int kLayers = 80;
        constexpr Bytes kScale = 100'000;
        const PlanChain chain = planChain(homogeneousChain(kLayers, 17 * kScale, kScale, true));
        const Bytes saveAll = saveAllPeak(chain, 1) + chain.base;
        const struct
        {
            int percent;
            int exact;
            int published[4]; // with 100, 200, 500 and 1000 slots
        } rows[] = {{50, 41, {49, 41, 42, 41}},
                    {30, 57, {62, 59, 57, 57}},
                    {10, 73, {74, 74, 73, 73}},
                    {5, 79, {91, 79, 79, 79}}};
        for (const auto &row : rows) {
            const Bytes budget = saveAll * row.percent / 100;
            const Bytes unit = table(chain, static_cast<int>((saveAll - chain.base) / kScale)).slotBytes();
            QCOMPARE(unit, kScale);
            QCOMPARE(extraForwards(table(chain, static_cast<int>((saveAll - chain.base) / kScale)), kLayers,
                                   budget / kScale, 1),
                     static_cast<double>(row.exact));
            const int counts[] = {100, 200, 500, 1000};
            for (std::size_t i = 0; i < std::size(counts); ++i) {
                // So many slots up to the budget.
                const Bytes slots = counts[i] * (saveAll - chain.base) / budget;
                const ChainTable coarse = table(chain, static_cast<int>(slots));
                const double extra = coarse.time(static_cast<int>((budget - chain.base) / coarse.slotBytes())) - 240.0;
                qInfo("%d %%, %d slots: %g (published %d)", row.percent, counts[i], extra, row.published[i]);
                QVERIFY(extra >= row.exact);
                if (counts[i] >= 500)
                    QVERIFY(extra <= row.exact + 1);
            }
        }
    }

    void stopped_isCancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto made = ChainTable::make(planChain(homogeneousChain(4, 3, 1, true)), {}, stop.get_token());
        QVERIFY(!made.has_value());
        QCOMPARE(made.error().code, ErrorCode::cancelled);
    }
};

REMAT_TEST(tst_chain_table);
#include "tst_chain_table.moc"
