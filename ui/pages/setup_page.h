// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/forecast_model.h"
#include "models/goal_model.h"
#include "models/session_document.h"
#include "models/setup_model.h"
#include "models/strategy_list_model.h"

namespace remat::ui {

class ConfigCard;
class ForecastCard;
class GoalCard;
class LimitsDialog;
class PublishedDialog;
class RunController;
class StrategiesCard;
class WorkloadForm;

/// What is measured: config, workload, strategies, and what is known before anything runs. GUI thread.
class SetupPage : public QWidget
{
    Q_OBJECT
public:
    SetupPage(SetupModel &model, const SessionDocument &document, const RunController &runs, QWidget *parent = nullptr);

    [[nodiscard]] StrategyListModel *strategies() const { return m_strategies; }
    [[nodiscard]] ForecastModel *forecast() const { return m_forecast; }
    [[nodiscard]] GoalModel *goal() const { return m_goal; }
    [[nodiscard]] GoalCard *goalCard() const { return m_goalCard; }
    [[nodiscard]] WorkloadForm *form() const { return m_form; }
    void setCanMeasure(bool can, const QString &why);
    /// What is predicted, as tab-separated text.
    [[nodiscard]] QString tableText() const { return m_forecast->asText(); }
    /// The comparison with published formulas, in a window of its own that stays open beside this one.
    PublishedDialog *showFormulas();
    /// What limits the setup and what lowers its peak, likewise.
    LimitsDialog *showLimits();

Q_SIGNALS:
    void openWanted();
    void measureWanted();

private:
    [[nodiscard]] QWidget *makeRight();

    SetupModel &m_model;
    const SessionDocument &m_document;
    const RunController &m_runs;
    StrategyListModel *m_strategies = nullptr;
    ForecastModel *m_forecast = nullptr;
    GoalModel *m_goal = nullptr;
    ConfigCard *m_config = nullptr;
    WorkloadForm *m_form = nullptr;
    ForecastCard *m_before = nullptr;
    StrategiesCard *m_list = nullptr;
    GoalCard *m_goalCard = nullptr;
    PublishedDialog *m_formulas = nullptr;
    LimitsDialog *m_limits = nullptr;
};

} // namespace remat::ui
