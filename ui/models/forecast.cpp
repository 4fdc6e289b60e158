// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/forecast.h"

#include <algorithm>
#include <set>

#include <QCoreApplication>

#include "advice/device_peaks.h"
#include "advice/levers.h"
#include "measure/sweep_loop.h"
#include "models/text.h"
#include "plan/planned_strategy.h"

namespace remat::ui {

namespace {

QString words(const core::Error &error)
{
    return QString::fromStdString(error.message);
}

/// All options of the strategies and, because a smallest peak is that of any schedule, all that a planner may choose.
core::Result<std::vector<std::string>> countedOptions(const ForecastQuestion &question)
{
    core::SweepPlan plan;
    plan.model = question.model;
    plan.workload = question.workload;
    plan.strategies = question.strategies;
    plan.strategies.push_back(question.shown);
    // A strategy that the model cannot do says so at its own row and takes nothing from the others.
    const core::ChainShape shape = chainShape(question.model, question.workload);
    std::erase_if(plan.strategies, [&shape](const core::Strategy &strategy) {
        return strategy.kind != core::StrategyKind::budget && !core::makeSchedule(strategy, shape);
    });
    auto ids = core::optionsOf(plan);
    if (!ids)
        return ids;
    const auto all = core::plannableOptions(shape);
    std::set<std::string> sorted(ids->begin(), ids->end());
    sorted.insert(all.begin(), all.end());
    return std::vector<std::string>(sorted.begin(), sorted.end());
}

core::Result<std::shared_ptr<const FormulaCosts>> costsFor(const ForecastQuestion &question)
{
    auto options = countedOptions(question);
    if (!options)
        return options.error();
    if (question.costs
        && std::includes(question.costs->options.begin(), question.costs->options.end(), options->begin(),
                         options->end()))
        return question.costs;
    auto formula = core::chainFormula(question.model, question.workload, *options);
    if (!formula)
        return formula.error();
    // Bytes do not depend on it; of the plans within a budget it says which is fast.
    const auto device = core::deviceNamed(question.device);
    if (!device)
        return device.error();
    core::fillTimes(formula->costs, formula->work, *device, question.workload.dtype);
    return std::make_shared<const FormulaCosts>(FormulaCosts{std::move(formula).value(), std::move(options).value()});
}

StrategyForecast forecastOf(core::Schedule schedule, const core::ChainCosts &costs)
{
    const auto simulation = core::simulate(schedule, costs);
    if (!simulation)
        return {-1, true, words(simulation.error()), nullptr};
    return {simulation->peak, true, {}, std::make_shared<const core::Schedule>(std::move(schedule))};
}

/// As core::scheduleFor plans it, but it can be stopped and keeps the smallest plan where nothing fits.
StrategyForecast plannedForecast(const core::BudgetRule &rule, const core::ChainShape &shape,
                                 const core::ChainCosts &costs, std::stop_token stop)
{
    const auto budget = core::budgetBytes(rule, costs, shape);
    if (!budget)
        return {-1, true, words(budget.error()), nullptr};
    auto planner = core::Planner::make(core::PlannerKind::optimal, core::planProblem(costs, shape), {*budget, 0}, stop);
    if (!planner)
        return {-1, true, words(planner.error()), nullptr};
    core::PlanAnswer answer = planner->plan(*budget);
    StrategyForecast forecast = forecastOf(std::move(answer.plan.schedule), costs);
    if (!answer.feasible) {
        forecast.fits = false;
        forecast.problem = QString::fromStdString(core::infeasibleSentence(answer, *budget, stageNames(shape)));
    }
    return forecast;
}

/// The first sentence of the limits where it says that schedules save little. Levers are other workloads, whose costs are
/// not looked for here.
QString hardlyMatters(const ForecastQuestion &question, const FormulaCosts &costs)
{
    const std::string here = core::workloadHash(question.model, question.workload);
    const auto limits = core::limitsOf(
        question.model, question.workload, [&](const core::ModelConfig &model, const core::Workload &workload) {
            if (core::workloadHash(model, workload) != here)
                return core::Result<core::Forecast>(core::Error{core::ErrorCode::refused, "Another workload."});
            return core::Result<core::Forecast>(core::Forecast{costs.formula.costs, costs.formula.approximate, true});
        });
    return limits && limits->hardlyMatters ? QString::fromStdString(core::sentences(*limits).front()) : QString();
}

/// One answer in the making.
class Forecaster
{
public:
    Forecaster(const ForecastQuestion &question, std::stop_token stop,
               const std::function<void(ForecastAnswer)> &answer)
        : m_question(question),
          m_stop(std::move(stop)),
          m_tell(answer),
          m_shape(chainShape(question.model, question.workload))
    {
        m_answer.shown = QString::fromStdString(question.shown.text);
        m_answer.strategies = question.known;
    }

    void run()
    {
        auto costs = costsFor(m_question);
        if (!costs) {
            m_answer.refusal = words(costs.error());
            m_tell(m_answer);
            return;
        }
        m_answer.costs = std::move(costs).value();
        m_answer.hardlyMatters = hardlyMatters(m_question, *m_answer.costs);
        showChosen();
        for (const core::Strategy &strategy : m_question.strategies)
            if (strategy.kind != core::StrategyKind::budget)
                look(strategy);
        tell();
        for (const core::Strategy &strategy : m_question.strategies)
            if (strategy.kind == core::StrategyKind::budget && look(strategy))
                tell();
    }

private:
    void tell()
    {
        if (!m_stop.stop_requested())
            m_tell(m_answer);
    }

    /// False where it was known before.
    bool look(const core::Strategy &strategy)
    {
        if (m_stop.stop_requested() || m_answer.strategies.contains(strategy.text))
            return false;
        const core::ChainCosts &costs = m_answer.costs->formula.costs;
        StrategyForecast result;
        if (strategy.kind == core::StrategyKind::budget) {
            result = plannedForecast(strategy.budget, m_shape, costs, m_stop);
        } else if (auto schedule = core::makeSchedule(strategy, m_shape)) {
            result = forecastOf(std::move(schedule).value(), costs);
        } else {
            result.problem = words(schedule.error());
        }
        if (m_stop.stop_requested())
            return false;
        m_answer.strategies.emplace(strategy.text, std::move(result));
        return true;
    }

    void showChosen()
    {
        look(m_question.shown);
        const auto found = m_answer.strategies.find(m_question.shown.text);
        if (found == m_answer.strategies.end())
            return;
        m_answer.shownProblem = found->second.problem;
        if (!found->second.schedule)
            return;
        const FormulaCosts &costs = *m_answer.costs;
        auto estimate
            = core::estimateOf(m_question.model, m_question.workload, costs.formula.costs, *found->second.schedule);
        if (!estimate) {
            m_answer.shownProblem = words(estimate.error());
            return;
        }
        estimate->approximate = costs.formula.approximate;
        m_answer.estimate = std::move(estimate).value();
    }

    const ForecastQuestion &m_question;
    std::stop_token m_stop;
    const std::function<void(ForecastAnswer)> &m_tell;
    core::ChainShape m_shape;
    ForecastAnswer m_answer;
};

} // namespace

void forecast(const ForecastQuestion &question, std::stop_token stop, const std::function<void(ForecastAnswer)> &answer)
{
    Forecaster(question, std::move(stop), answer).run();
}

std::vector<PeakSummary::Part> partsOf(const core::MemoryParts &parts)
{
    std::vector<PeakSummary::Part> list{
        {core::Category::parameter, parts.weights},           {core::Category::parameterGradient, parts.gradients},
        {core::Category::optimizerState, parts.optimizer},    {core::Category::input, parts.inputs},
        {core::Category::savedActivation, parts.activations}, {core::Category::logitsAndLoss, parts.logits},
        {core::Category::temporary, parts.temporaries}};
    std::erase_if(list, [](const PeakSummary::Part &part) { return part.bytes <= 0; });
    return list;
}

QString partText(core::Category category)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("remat::ui::Text", text); };
    switch (category) {
    case core::Category::parameterGradient:
        return tr("gradients");
    case core::Category::optimizerState:
        return tr("optimizer");
    case core::Category::input:
        return tr("inputs and constants");
    case core::Category::savedActivation:
        return tr("activations");
    case core::Category::logitsAndLoss:
        return tr("logits");
    case core::Category::temporary:
        return tr("temporaries");
    default:
        return categoryText(category);
    }
}

} // namespace remat::ui
