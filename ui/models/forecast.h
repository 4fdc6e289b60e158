// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <QString>

#include "advice/estimate.h"
#include "formula/formula_costs.h"
#include "models/step_story.h"
#include "schedule/strategy.h"

namespace remat::ui {

/// Costs by formula of one setup; plans within a budget weigh them with the published peaks of a device. Shared between
/// threads, never changed.
struct FormulaCosts
{
    core::ChainFormula formula;
    std::vector<std::string> options; // that were counted
};

/// What the formula says of one strategy.
struct StrategyForecast
{
    core::Bytes peak = -1;                          // -1: not known
    bool fits = true;                               // false: no plan stays within this budget
    QString problem;                                // why there is no peak, or why nothing fits; one sentence
    std::shared_ptr<const core::Schedule> schedule; // where nothing fits: of the smallest peak
};
using StrategyForecasts = std::map<std::string, StrategyForecast>;

/// What is asked before anything runs. `costs` and `known` are what an earlier answer to the same setup found out.
struct ForecastQuestion
{
    core::ModelConfig model;
    core::Workload workload; // resolved
    std::vector<core::Strategy> strategies;
    core::Strategy shown;
    std::string device; // of the table of published peaks
    std::shared_ptr<const FormulaCosts> costs;
    StrategyForecasts known;
};

/// Either a refusal, or the estimate of the strategy that is shown, and the peaks that are known so far.
struct ForecastAnswer
{
    QString refusal; // why the formula says nothing of this setup; one sentence
    QString shown;
    QString shownProblem; // why `estimate` is not of the strategy itself, or is missing
    std::optional<core::Estimate> estimate;
    QString hardlyMatters; // the sentence that says so where no schedule saves much, else empty
    StrategyForecasts strategies;
    std::shared_ptr<const FormulaCosts> costs;
};

/// Answers in steps, each with more peaks than the one before: first the strategy that is shown, then all rules, then one
/// budget after the other. Any thread; the last step is missing when `stop` is requested.
void forecast(const ForecastQuestion &question, std::stop_token stop,
              const std::function<void(ForecastAnswer)> &answer);

/// The parts of an estimate in the order of the stack, empty ones left out, and what they are called.
[[nodiscard]] std::vector<PeakSummary::Part> partsOf(const core::MemoryParts &parts);
[[nodiscard]] QString partText(core::Category category);

} // namespace remat::ui
