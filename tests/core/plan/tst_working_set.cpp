// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/working_set.h"

#include "schedule/simulator.h"
#include "support/naive_simulator.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

class tst_working_set : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Equal intervals share a cell of the recursion; its split must be read where the interval lies.
    void chainsOfEqualBlocks_haveTheClosedForm_data()
    {
        QTest::addColumn<int>("stages");
        for (const int stages : {1, 2, 3, 5, 8, 13, 40})
            QTest::addRow("%d stages", stages) << stages;
    }
    void chainsOfEqualBlocks_haveTheClosedForm()
    {
        QFETCH(int, stages);
        for (const Bytes saved : {1, 3, 17}) {
            const ChainCosts costs = homogeneousChain(stages, saved, 1, true);
            const SmallestPlan smallest = smallestPlan(planChain(costs));
            const auto simulation = simulate(smallest.schedule, costs);
            QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().message.c_str());
            QCOMPARE(simulation->peak, smallest.peak + planChain(costs).base);
            // Keeping only the input: a + 4b, fewer where the chain is too short to hold that much.
            QVERIFY(simulation->peak <= saved + 4);
            if (stages >= 3)
                QCOMPARE(simulation->peak, saved + 4);
        }
    }

    void blocksOfTwoStagesBehindAnotherOne_areValid()
    {
        for (const int blocks : {2, 4, 9}) {
            ChainCosts costs = homogeneousChain(2 * blocks + 2, 6, 2, false);
            for (std::size_t i = 1; i + 1 < costs.stages.size(); i += 2)
                costs.stages[i].options[""].saved += 9;
            costs.stages.front().options[""].saved = 40;
            const PlanChain chain = planChain(costs);
            const SmallestPlan smallest = smallestPlan(chain);
            const auto simulation = simulate(smallest.schedule, costs);
            QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().message.c_str());
            QVERIFY(simulation->peak <= smallest.peak + chain.base);
            QVERIFY(simulation->peak >= workingSetBound(chain) + chain.base);
        }
    }
};

REMAT_TEST(tst_working_set);
#include "tst_working_set.moc"
