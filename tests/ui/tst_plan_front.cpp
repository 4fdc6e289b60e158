// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QSignalSpy>

#include "models/plan_advice.h"
#include "models/plan_desk.h"
#include "models/text.h"
#include "plan/planned_strategy.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

class tst_plan_front : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void front_peaksRise_timesFall();
    void front_read_isWhatThePlannerPlans();
    void front_belowTheSmallest_saysWhatSetsIt();
    void front_budgetOfAStrategy_isTheCores();
    void front_ofCostsWithoutOptions_saysSo();
    void desk_sameCosts_planOnce();
    void desk_withoutCosts_hasNoFront();
    void curve_withAFront_hasItsLineOnBothAxes();
    void curve_ofABudget_predictsItsPlan();
    void curve_fastestMeasured_goesByEverythingCounted();
    void curve_gradientsThatGrow_areNotPlannedByActivations();
    void advice_ofASlowPoint_offersThePlanAtItsPeak();
    void advice_ofAPlan_comparesWithWhatWasMeasured();
    void selection_ofABudget_changesTheMode();

private:
    [[nodiscard]] CurveData curve(const std::vector<core::Point> &points,
                                  MemoryAxis axis = MemoryAxis::everything) const
    {
        const std::optional costs(m_front->costs);
        return buildCurve({points, costs, m_front->shape, axis, m_front});
    }

    std::shared_ptr<const PlanFront> m_front; // of six layers
};

namespace {

constexpr core::Bytes kMiB = 1024 * 1024;

core::Planner plannerOf(const core::ChainCosts &costs, const core::ChainShape &shape)
{
    auto made = core::Planner::make(core::PlannerKind::optimal, core::planProblem(costs, shape));
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

/// A measured run of what is planned for a budget.
core::Point planPoint(const PlanFront &front, core::Bytes budget)
{
    const FrontPlan *plan = front.fastestWithin(budget);
    core::Point point = tests::samplePoint("none", front.shape.layers, 40);
    point.strategy = "budget:" + std::to_string(budget);
    point.peakBytes = plan->peak;
    point.activationPeakBytes = plan->activationPeak;
    point.step = {plan->stepNs, plan->stepNs - 10'000, plan->stepNs + 10'000, 7};
    return point;
}

} // namespace

void tst_plan_front::initTestCase()
{
    auto made = makeFront(tests::sampleCosts(6), 6);
    QVERIFY(made.has_value());
    m_front = std::make_shared<const PlanFront>(std::move(*made));
}

void tst_plan_front::front_peaksRise_timesFall()
{
    QVERIFY(m_front->plans.size() > 10);
    for (std::size_t i = 1; i < m_front->plans.size(); ++i) {
        QVERIFY(m_front->plans[i].peak > m_front->plans[i - 1].peak);
        QVERIFY(m_front->plans[i].stepNs < m_front->plans[i - 1].stepNs);
    }
    const auto none = core::makeSchedule(core::Strategy{}, 6);
    const auto step = core::simulate(*none, m_front->costs);
    QCOMPARE(m_front->plans.back().stepNs, step->stepNs);
    QCOMPARE(m_front->largest(), step->peak);
}

void tst_plan_front::front_read_isWhatThePlannerPlans()
{
    core::Planner planner = plannerOf(m_front->costs, 6);
    const core::Bytes least = m_front->smallest(), range = m_front->largest() - least;
    QCOMPARE(planner.plan(0).minFeasibleBudget, least);
    int feasible = 0;
    for (int i = -5; i <= 205; ++i) {
        const core::Bytes budget = least + range * i / 200;
        const FrontPlan *read = m_front->fastestWithin(budget);
        const core::PlanAnswer planned = planner.plan(budget);
        QCOMPARE(read != nullptr, planned.feasible);
        if (read == nullptr)
            continue;
        ++feasible;
        QVERIFY(read->peak <= budget);
        // At its own peak nothing is faster; in between, the front may be coarser by less than a pixel of the line.
        QCOMPARE(planner.plan(read->peak).plan.simulation.stepNs, read->stepNs);
        QVERIFY(read->stepNs >= planned.plan.simulation.stepNs);
        const core::PlanAnswer pixelBelow = planner.plan(budget - range / 400);
        QVERIFY(!pixelBelow.feasible || read->stepNs <= pixelBelow.plan.simulation.stepNs);
        const auto again = core::simulate(read->schedule, m_front->costs);
        QCOMPARE(again->peak, read->peak);
        QCOMPARE(again->activationPeak, read->activationPeak);
    }
    QCOMPARE(feasible, 206);
}

void tst_plan_front::front_belowTheSmallest_saysWhatSetsIt()
{
    QVERIFY(m_front->fastestWithin(m_front->smallest() - 1) == nullptr);
    QCOMPARE(m_front->fastestWithin(m_front->smallest())->peak, m_front->smallest());
    core::Planner planner = plannerOf(m_front->costs, 6);
    const core::PlanAnswer answer = planner.plan(m_front->smallest() - 1);
    QVERIFY(!answer.feasible);
    QCOMPARE(m_front->bindingWords(), core::bindingWords(answer.bindingOp, core::stageNames(6)));
    QVERIFY(!m_front->bindingWords().empty());
}

void tst_plan_front::front_budgetOfAStrategy_isTheCores()
{
    for (const char *text : {"budget:200MiB", "budget:40%"}) {
        const auto strategy = core::parseStrategy(text);
        QCOMPARE(m_front->budgetOf(*strategy).value(), core::budgetBytes(strategy->budget, m_front->costs, 6).value());
        QCOMPARE(m_front->planOf(*strategy), m_front->fastestWithin(*m_front->budgetOf(*strategy)));
    }
    QVERIFY(!m_front->budgetOf(*core::parseStrategy("every:2")).has_value());
    QVERIFY(m_front->planOf(*core::parseStrategy("every:2")) == nullptr);
}

void tst_plan_front::front_ofCostsWithoutOptions_saysSo()
{
    core::ChainCosts costs = tests::sampleCosts(4);
    QVERIFY(!makeFront(costs, 4)->withOptions); // the sample has two of them
    for (core::StageCost &stage : costs.stages)
        for (const std::string &id : core::plannableOptions(4))
            if (!stage.options.contains(id))
                stage.options[id] = stage.options.at("");
    QVERIFY(makeFront(costs, 4)->withOptions);
    for (core::StageCost &stage : costs.stages)
        std::erase_if(stage.options, [](const auto &option) { return !option.first.empty(); });
    const auto plain = makeFront(costs, 4);
    QVERIFY(!plain->withOptions && !plain->plans.empty());
}

void tst_plan_front::desk_sameCosts_planOnce()
{
    PlanDesk desk;
    QSignalSpy changed(&desk, &PlanDesk::changed);
    const std::optional costs(tests::sampleCosts(6));
    desk.setCosts(costs, 6);
    QVERIFY(desk.busy() && desk.front() == nullptr);
    QVERIFY(changed.wait());
    QCOMPARE(desk.front()->plans.size(), m_front->plans.size());
    desk.setCosts(std::optional(tests::sampleCosts(6)), 6);
    QCOMPARE(desk.computations(), 1);
    QVERIFY(desk.front() != nullptr);
    desk.setCosts(std::optional(tests::sampleCosts(5)), 5);
    QCOMPARE(desk.computations(), 2);
    QVERIFY(desk.front() == nullptr);
    QTRY_VERIFY(desk.front() != nullptr);
    QCOMPARE(desk.front()->shape.layers, 5);
}

void tst_plan_front::desk_withoutCosts_hasNoFront()
{
    PlanDesk desk;
    desk.setCosts(std::optional(tests::sampleCosts(6)), 6);
    desk.setCosts(std::nullopt, 6);
    QSignalSpy changed(&desk, &PlanDesk::changed);
    desk.setCosts(std::optional(core::ChainCosts()), 3);
    QTRY_VERIFY(!desk.problem().isEmpty());
    QVERIFY(desk.front() == nullptr);
    QCOMPARE(changed.size(), 1);
}

void tst_plan_front::curve_withAFront_hasItsLineOnBothAxes()
{
    const std::vector<core::Point> points{tests::samplePoint("none", 6, 1)};
    const CurveData all = curve(points), some = curve(points, MemoryAxis::activations);
    QCOMPARE(all.best.size(), m_front->plans.size());
    for (std::size_t i = 0; i < all.best.size(); ++i) {
        QCOMPARE(all.best[i].second, m_front->plans[i].peak);
        QCOMPARE(some.best[i].second, m_front->plans[i].activationPeak);
        QCOMPARE(all.best[i].first, static_cast<double>(m_front->plans[i].stepNs) / all.predictedUnit);
    }
    QVERIFY(std::abs(all.best.back().first - 1.0) < 1e-9); // as fast as no checkpointing
    QCOMPARE(all.belowAxis(), core::Bytes{0});
    QCOMPARE(some.belowAxis(), m_front->costs.staticBytes);
}

void tst_plan_front::curve_ofABudget_predictsItsPlan()
{
    const core::Bytes budget = (m_front->smallest() + m_front->largest()) / 2;
    const QString strategy = QStringLiteral("budget:%1").arg(budget);
    std::vector<core::Point> points{tests::samplePoint("none", 6, 1)};
    const auto predicted = curve(points).markFor(strategy);
    QVERIFY(predicted.has_value());
    QVERIFY(predicted->kind == MarkKind::predicted && predicted->family == MarkFamily::plan);
    QCOMPARE(predicted->bytes, m_front->fastestWithin(budget)->peak);
    QCOMPARE(predicted->budget, budget);
    QCOMPARE(curve(points, MemoryAxis::activations).markFor(strategy)->bytes,
             m_front->fastestWithin(budget)->activationPeak);
    QVERIFY(curve(points).find(strategy) == nullptr); // it is drawn only where it is chosen
    QVERIFY(!curve(points).markFor(QStringLiteral("budget:1000")).has_value());
    points.push_back(planPoint(*m_front, budget));
    QVERIFY(curve(points).markFor(strategy)->kind == MarkKind::measured);
    QCOMPARE(curve(points).markFor(strategy)->budget, budget);
    QVERIFY(familyOf(strategy) == MarkFamily::plan);
}

void tst_plan_front::curve_fastestMeasured_goesByEverythingCounted()
{
    std::vector<core::Point> points{tests::samplePoint("none", 6, 1), tests::samplePoint("every:2", 6, 2),
                                    tests::samplePoint("segments:1", 6, 3)};
    for (const MemoryAxis axis : {MemoryAxis::everything, MemoryAxis::activations}) {
        const CurveData data = curve(points, axis);
        QCOMPARE(data.fastestMeasured(points[0].peakBytes)->strategy, QStringLiteral("none"));
        QCOMPARE(data.fastestMeasured(points[0].peakBytes - 1)->strategy, QStringLiteral("every:2"));
        QCOMPARE(data.fastestMeasured(points[1].peakBytes - 1)->strategy, QStringLiteral("segments:1"));
        QVERIFY(data.fastestMeasured(points[2].peakBytes - 1) == nullptr);
    }
}

void tst_plan_front::curve_gradientsThatGrow_areNotPlannedByActivations()
{
    const std::vector<core::Point> points{tests::samplePoint("none", 6, 1)};
    QVERIFY(curve(points, MemoryAxis::activations).bestOnAxis());
    core::ChainCosts costs = m_front->costs;
    costs.stages[3].gradientGrowth = kMiB;
    const std::optional some(costs);
    const auto front = std::make_shared<const PlanFront>(*makeFront(costs, 6));
    QVERIFY(!buildCurve({points, some, 6, MemoryAxis::activations, front}).bestOnAxis());
    QVERIFY(buildCurve({points, some, 6, MemoryAxis::everything, front}).bestOnAxis());
}

void tst_plan_front::advice_ofASlowPoint_offersThePlanAtItsPeak()
{
    const core::Point slow = tests::samplePoint("segments:4", 6, 2);
    const CurveData data = curve({tests::samplePoint("none", 6, 1), slow});
    const CurveMark *own = data.find(QStringLiteral("segments:4"));
    const auto step = core::simulate(*core::makeSchedule(*core::parseStrategy("segments:4"), 6), m_front->costs);
    const auto list = planAdvice(*own, data, step->stepNs);
    QCOMPARE(list.size(), std::size_t{1});
    const FrontPlan *plan = m_front->fastestWithin(slow.peakBytes);
    QVERIFY(plan->stepNs < step->stepNs);
    QCOMPARE(list[0].strategy, QStringLiteral("budget:%1").arg(slow.peakBytes));
    QVERIFY(list[0].text.contains(factorText(static_cast<double>(plan->stepNs) / data.predictedUnit)));
    QVERIFY(list[0].text.contains(QStringLiteral("(predicted)")));
    const double above = (static_cast<double>(step->stepNs) / static_cast<double>(plan->stepNs) - 1.0) * 100.0;
    QVERIFY(list[0].text.contains(QString::number(above, 'f', 1) + QStringLiteral(" % above the best possible")));
    // Within its spread nothing is offered, though what is predicted is said.
    CurveMark wide = *own;
    wide.timeLow = 0.5 * own->time;
    wide.timeHigh = 1.6 * own->time;
    const auto quiet = planAdvice(wide, data, step->stepNs);
    QVERIFY(quiet[0].strategy.isEmpty() && quiet[0].text.contains(QStringLiteral("above the best possible")));
    QVERIFY(planAdvice(*own, data, -1).empty());
    // Where options are missing nothing is called the best possible.
    QVERIFY(list[0].text.contains(QStringLiteral("at least")));
    const core::Nanoseconds fastest = m_front->plans.back().stepNs;
    QVERIFY(planAdvice(*data.find(QStringLiteral("none")), data, fastest).empty());
    PlanFront whole = *m_front;
    whole.withOptions = true;
    CurveData all = data;
    all.front = std::make_shared<const PlanFront>(std::move(whole));
    const auto best = planAdvice(*data.find(QStringLiteral("none")), all, fastest);
    QVERIFY(best[0].strategy.isEmpty());
    QVERIFY(best[0].text.contains(QStringLiteral("the best possible")));
    QVERIFY(!best[0].text.contains(QStringLiteral("above")));
    QVERIFY(!planAdvice(*own, all, step->stepNs)[0].text.contains(QStringLiteral("at least")));
}

void tst_plan_front::advice_ofAPlan_comparesWithWhatWasMeasured()
{
    const core::Point every = tests::samplePoint("every:2", 6, 2);
    std::vector<core::Point> points{tests::samplePoint("none", 6, 1), every};
    const QString strategy = QStringLiteral("budget:%1").arg(every.peakBytes);
    const auto predicted = planAdvice(*curve(points).markFor(strategy), curve(points), -1);
    QVERIFY(predicted[0].text.contains(QStringLiteral("every 2")));
    QVERIFY(predicted[0].text.contains(QStringLiteral("predicted")));
    QVERIFY(predicted[0].strategy.isEmpty());
    const QString lean = QStringLiteral("budget:%1").arg(m_front->smallest());
    QVERIFY(planAdvice(*curve(points).markFor(lean), curve(points), -1)[0].text.startsWith(
        QStringLiteral("No measured setting")));
    core::Point plan = planPoint(*m_front, every.peakBytes);
    points.push_back(plan);
    QVERIFY(
        planAdvice(*curve(points).find(strategy), curve(points), -1)[0].text.endsWith(QStringLiteral("is faster.")));
    plan.step = {2 * every.step.median, 2 * every.step.q1, 2 * every.step.q3, 7};
    points.back() = plan;
    const auto slower = planAdvice(*curve(points).find(strategy), curve(points), -1);
    QCOMPARE(slower[0].strategy, QStringLiteral("every:2"));
}

void tst_plan_front::selection_ofABudget_changesTheMode()
{
    Selection selection;
    QSignalSpy modes(&selection, &Selection::modeChanged);
    selection.setStrategy(QStringLiteral("budget:40%"));
    QVERIFY(selection.mode() == HandleMode::budget);
    QCOMPARE(modes.size(), 1);
    QCOMPARE(selection.value(), 0);
    selection.setStrategy(QStringLiteral("every:2"));
    QVERIFY(selection.mode() == HandleMode::every);
    QCOMPARE(selection.value(), 2);
}

REMAT_TEST(tst_plan_front);

#include "tst_plan_front.moc"
