// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/setup_page.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "pages/config_card.h"
#include "pages/forecast_card.h"
#include "pages/goal_card.h"
#include "pages/limits_dialog.h"
#include "pages/published_dialog.h"
#include "pages/strategies_card.h"
#include "pages/workload_form.h"
#include "widgets/card.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

void present(QWidget &dialog)
{
    dialog.show();
    dialog.raise();
    dialog.activateWindow();
}

} // namespace

SetupPage::SetupPage(SetupModel &model, const SessionDocument &document, const RunController &runs, QWidget *parent)
    : QWidget(parent), m_model(model), m_document(document), m_runs(runs)
{
    setObjectName(u"page"_s);
    m_strategies = new StrategyListModel(this);
    connect(&model, &SetupModel::modelChanged, this, [this] { m_strategies->setShape(chainShape(m_model.model())); });
    m_forecast = new ForecastModel(model, *m_strategies, this);
    m_goal = new GoalModel(model, document, this);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 4, 16);
    row->setSpacing(12);
    m_config = new ConfigCard(model, this);
    row->addWidget(m_config, 24);
    auto *workload = new Card(tr("Workload"), this);
    m_form = new WorkloadForm(model, workload);
    workload->body()->addWidget(m_form);
    row->addWidget(workload, 42);
    row->addWidget(makeRight(), 34);
    connect(m_config, &ConfigCard::openWanted, this, &SetupPage::openWanted);
}

/// Scrolls where the window is too low for all cards.
QWidget *SetupPage::makeRight()
{
    auto *scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto *right = new QWidget(scroll);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 12, 0); // the scroll bar stands in the page's margin
    column->setSpacing(12);
    m_before = new ForecastCard(m_model, *m_forecast, right);
    m_list = new StrategiesCard(m_model, *m_strategies, *m_forecast, right);
    m_goalCard = new GoalCard(m_model, *m_goal, right);
    column->addWidget(m_before);
    column->addWidget(m_list, 1);
    column->addWidget(m_goalCard);
    scroll->setWidget(right);
    connect(m_before, &ForecastCard::planWanted, this,
            [this](core::Bytes budget) { m_list->add(u"budget:%1"_s.arg(budget)); });
    // Below the others; what it answers should be seen.
    const auto reveal = [this, scroll] {
        QMetaObject::invokeMethod(
            scroll, [this, scroll] { scroll->ensureWidgetVisible(m_goalCard, 0, 0); }, Qt::QueuedConnection);
    };
    connect(m_goalCard, &GoalCard::opened, scroll, reveal);
    connect(m_goalCard, &GoalCard::answered, scroll, reveal);
    connect(m_before, &ForecastCard::formulasWanted, this, &SetupPage::showFormulas);
    connect(m_before, &ForecastCard::leversWanted, this, &SetupPage::showLimits);
    connect(m_list, &StrategiesCard::measureWanted, this, &SetupPage::measureWanted);
    connect(m_goalCard, &GoalCard::deviceChosen, m_forecast, &ForecastModel::setDevice);
    connect(m_goalCard, &GoalCard::deviceChosen, this, [this](const QString &device) {
        if (m_limits)
            m_limits->setDevice(device);
    });
    connect(m_goal, &GoalModel::strategyWanted, m_list, &StrategiesCard::add);
    return scroll;
}

PublishedDialog *SetupPage::showFormulas()
{
    if (!m_formulas)
        m_formulas = new PublishedDialog(m_model, m_document, this);
    present(*m_formulas);
    return m_formulas;
}

LimitsDialog *SetupPage::showLimits()
{
    if (!m_limits) {
        m_limits = new LimitsDialog(m_model, m_runs, this);
        m_limits->setDevice(m_forecast->device());
    }
    m_limits->suggestBudget(m_goalCard->budget());
    present(*m_limits);
    return m_limits;
}

void SetupPage::setCanMeasure(bool can, const QString &why)
{
    m_list->setCanMeasure(can, why);
}

} // namespace remat::ui
