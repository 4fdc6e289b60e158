// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/plan_problem.h"

#include "plan/plan_json.h"
#include "plan/planned_strategy.h"
#include "support/naive_simulator.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Three equal stages with gradients of 100 each and 30 of the loss.
ChainCosts grownChain()
{
    ChainCosts costs = homogeneousChain(3, 5, 2, false);
    for (StageCost &stage : costs.stages) {
        stage.gradientGrowth = 100;
        stage.remembered = 7;
        stage.options[""].backwardFirst = {150, 2};
        stage.options[""].backwardLater = {60, 2};
    }
    costs.loss.gradientGrowth = 30;
    costs.loss.first = {40, 2};
    costs.loss.later = {9, 2};
    costs.staticBytes = 1000;
    costs.optimizer = {500, 0};
    return costs;
}

/// Costs for the chain of a model: embedding, two stages per layer, final norm.
ChainCosts modelCosts(const ChainShape &shape)
{
    ChainCosts costs = homogeneousChain(shape.stages(), 40, 2, false);
    costs.staticBytes = 1000;
    return costs;
}

} // namespace

class tst_plan_problem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneMicroBatch_growsItsGradients()
    {
        const PlanChain chain = planChain(grownChain());
        QCOMPARE(chain.base, Bytes(1000 + 2 + 3 * 7));
        QCOMPARE(chain.floor, Bytes(1000 + 2 + 330 + 500));
        QCOMPARE(chain.stages[1].gradient, Bytes(100));
        QCOMPARE(chain.stages[1].options[0].backward, Bytes(150));
        QCOMPARE(chain.loss, Bytes(40));
        QCOMPARE(chain.gradients(1, 3), Bytes(230));
        QCOMPARE(chain.gradients(0, 1), Bytes(200));
        QCOMPARE(chain.countedLonger(), Bytes(21));
    }

    void severalMicroBatches_haveAllGradientsFromTheSecondOn()
    {
        ChainCosts costs = grownChain();
        costs.microBatches = 2;
        const PlanChain chain = planChain(costs);
        QCOMPARE(chain.base, Bytes(1000 + 2 + 21 + 330));
        QCOMPARE(chain.gradients(0, 3), Bytes(0));
        // The first micro-batch needs its 150 where 30, 130 and 230 bytes of the 330 exist.
        QCOMPARE(chain.loss, Bytes(9));
        QCOMPARE(chain.stages[2].options[0].backward, Bytes(60));
        QCOMPARE(chain.stages[1].options[0].backward, Bytes(60));
        QCOMPARE(chain.stages[0].options[0].backward, Bytes(60));
        costs.stages[0].options[""].backwardFirst.total = 190;
        QCOMPARE(planChain(costs).stages[0].options[0].backward, Bytes(190 - (330 - 230)));
    }

    void keptGradients_areStatic()
    {
        ChainCosts costs = grownChain();
        costs.gradientsKept = true;
        const PlanChain chain = planChain(costs);
        QCOMPARE(chain.base, Bytes(1000 + 2 + 21));
        QCOMPARE(chain.floor, Bytes(1000 + 2 + 500));
        QCOMPARE(chain.stages[0].options[0].backward, Bytes(60));
        QCOMPARE(chain.gradients(0, 3), Bytes(0));
    }

    void frozenStages_leaveTheirLastBoundary()
    {
        ChainCosts costs = grownChain();
        costs.firstTrainable = 1;
        costs.stages[0].forward.total = 5000;
        const PlanChain chain = planChain(costs);
        QCOMPARE(chain.size(), 2);
        QCOMPARE(chain.offset, 1);
        QCOMPARE(chain.base, Bytes(1000 + 2 + 14 + 2));
        QCOMPARE(chain.floor, Bytes(1002 + 5000));
        QCOMPARE(chain.unpinned(), Bytes(0));
        costs.stages[1].options[""].keepsInput = false;
        QCOMPARE(planChain(costs).unpinned(), Bytes(2));
    }

    void options_thatAnotherBeatsInEverything_areLeftOut()
    {
        ChainCosts costs = grownChain();
        auto &options = costs.stages[1].options;
        options["worse"] = options[""];
        options["worse"].backwardNs += 1;
        options["equal"] = options[""];
        options["lean"] = options["worse"];
        options["lean"].saved -= 1;
        options["unpinned"] = options["worse"];
        options["unpinned"].keepsInput = false;
        std::vector<std::string> ids;
        const PlanChain chain = planChain(costs);
        for (const PlanOption &option : chain.stages[1].options)
            ids.push_back(option.id);
        QVERIFY((ids == std::vector<std::string>{"", "lean", "unpinned"}));
    }

    void equalIntervals_areShared()
    {
        const PlanChain chain = planChain(homogeneousChain(5, 3, 1, true));
        const auto shared = sharedIntervals(chain);
        for (int s = 0; s < 5; ++s)
            for (int length = 0; s + length < 5; ++length)
                QCOMPARE(shared[std::size_t(s)][std::size_t(length)], 0);
        for (int s = 0; s <= 5; ++s)
            QCOMPARE(shared[std::size_t(s)].back(), s); // those that end with the loss
        ChainCosts costs = homogeneousChain(5, 3, 1, true);
        costs.stages[2].forwardNs = 9;
        const auto apart = sharedIntervals(planChain(costs));
        QCOMPARE(apart[3][1], 0);
        QCOMPARE(apart[2][0], 2);
        QCOMPARE(apart[1][1], 1);
    }

    void blocks_ofAModel_areItsTrainedLayers()
    {
        const ChainShape shape(3, 2, 3);
        const PlanProblem problem = planProblem(modelCosts(shape), shape);
        QCOMPARE(int(problem.blocks.size()), 2);
        QCOMPARE(problem.blocks[0].first, 3);
        QCOMPARE(problem.blocks[1].last, 6);
    }

    void budgets_arePlanned_orRefusedWithTheSmallest()
    {
        const ChainShape shape(4);
        const ChainCosts costs = modelCosts(shape);
        const Bytes all = simulate(*makeSchedule(*parseStrategy("none"), shape), costs)->peak;
        const auto half = parseStrategy("budget:50%");
        QVERIFY(half.has_value());
        const Bytes budget = budgetBytes(half->budget, costs, shape).value();
        QCOMPARE(budget, 1000 + (all - 1000) / 2);
        const auto schedule = scheduleFor(*half, shape, costs);
        QVERIFY(schedule.has_value());
        QVERIFY(simulate(*schedule, costs)->peak <= budget);
        const auto none = scheduleFor(*parseStrategy("budget:1001"), shape, costs);
        QVERIFY(!none.has_value());
        QVERIFY(none.error().code == ErrorCode::doesNotFit);
        QVERIFY2(none.error().message.ends_with('.'), none.error().message.c_str());
        Planner planner = Planner::make(PlannerKind::optimal, planProblem(costs, shape)).value();
        const std::string smallest = std::to_string(planner.plan(0).minFeasibleBudget);
        QVERIFY2(none.error().message.find(smallest) != std::string::npos, none.error().message.c_str());
        QVERIFY(scheduleFor(*parseStrategy("budget:" + smallest), shape, costs).has_value());
        QVERIFY(*scheduleFor(*parseStrategy("every:1"), shape, costs)
                == *makeSchedule(*parseStrategy("every:1"), shape));
    }

    void answers_asJson_holdAPlanThatIsRead()
    {
        const ChainCosts costs = homogeneousChain(6, 5, 1, true);
        Planner planner = Planner::make(PlannerKind::optimal, planProblem(costs)).value();
        const PlanAnswer answer = planner.plan(20);
        const Json json = toJson(answer, {"optimal", "", 20, 1, CostSource::chainFile, {}});
        QVERIFY(json.at("feasible").get<bool>());
        QCOMPARE(json.at("peak").get<Bytes>(), answer.plan.simulation.peak);
        QCOMPARE(json.at("time").get<Nanoseconds>(), answer.plan.simulation.stepNs);
        QCOMPARE(json.at("extra_forward").get<Nanoseconds>(), answer.plan.simulation.stepNs - 18);
        QVERIFY(planFromJson(json, "answer")->schedule == answer.plan.schedule);
        const Json refused = toJson(planner.plan(3), {"optimal", "", 3, 1, CostSource::chainFile, {}});
        QVERIFY(!refused.at("feasible").get<bool>());
        QVERIFY(refused.at("schedule").is_null() && refused.at("time").is_null() && refused.at("peak").is_null());
        QCOMPARE(refused.at("min_feasible_budget").get<Bytes>(), Bytes(5 + 4));
        QCOMPARE(timeJson(2'500'000, 1'000'000).dump(), std::string("2.5"));
        QCOMPARE(timeJson(2'000'000, 1'000'000).dump(), std::string("2"));
    }
};

REMAT_TEST(tst_plan_problem);
#include "tst_plan_problem.moc"
