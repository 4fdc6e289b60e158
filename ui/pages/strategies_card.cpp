// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/strategies_card.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "widgets/forecast_delegate.h"

namespace remat::ui {

StrategiesCard::StrategiesCard(SetupModel &setup, StrategyListModel &strategies, ForecastModel &forecast,
                               QWidget *parent)
    : Card(tr("Strategies to measure"), parent), m_setup(setup), m_strategies(strategies), m_forecast(forecast)
{
    setupList();
    m_add = new QLineEdit(this);
    m_add->setPlaceholderText(tr("add: budget:50%, first:3 …"));
    m_add->setToolTip(tr("A rule such as first:3 or segments:2+selective:mlp, or budget:4GiB or budget:50% for the "
                         "fastest plan within so much memory, or within that share of what the activations need"));
    m_add->setAccessibleName(tr("Add a strategy"));
    body()->addWidget(m_add);
    m_problem = makeLabel({}, true, "warning");
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    body()->addWidget(m_problem);
    m_measure = new QPushButton(tr("Measure"), this);
    setRole(m_measure, "primary");
    body()->addWidget(m_measure);
    connect(m_add, &QLineEdit::returnPressed, this, &StrategiesCard::addTyped);
    connect(m_add, &QLineEdit::textEdited, this, [this] {
        m_refused.clear();
        refresh();
    });
    connect(m_measure, &QPushButton::clicked, this, &StrategiesCard::measureWanted);
    connect(&setup, &SetupModel::changed, this, &StrategiesCard::refresh);
    connect(&strategies, &StrategyListModel::checkedChanged, this, &StrategiesCard::refresh);
    connect(&strategies, &StrategyListModel::modelReset, this, &StrategiesCard::keepCurrent);
    connect(&forecast, &ForecastModel::changed, this, &StrategiesCard::refresh);
    keepCurrent();
    refresh();
}

void StrategiesCard::setupList()
{
    m_list = new QListView(this);
    m_list->setModel(&m_strategies);
    m_list->setItemDelegate(new ForecastDelegate(StrategyListModel::PeakRole, StrategyListModel::ProblemRole, m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Strategies to measure"));
    m_list->setMinimumHeight(120);
    body()->addWidget(m_list, 1);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        if (!current.isValid())
            return;
        m_forecast.show(current.data(StrategyListModel::StrategyRole).toString());
        refresh();
    });
}

/// After the list was made anew the strategy that was shown stays, where it is still there.
void StrategiesCard::keepCurrent()
{
    if (m_strategies.rowCount() == 0)
        return;
    const int row = m_strategies.rowOf(m_forecast.shown());
    m_list->setCurrentIndex(m_strategies.index(row < 0 ? 0 : row));
}

void StrategiesCard::add(const QString &strategy)
{
    if (const auto added = m_strategies.add(strategy); !added) {
        m_refused = QString::fromStdString(added.error().message);
        refresh();
        return;
    }
    m_refused.clear();
    const auto parsed = core::parseStrategy(strategy.trimmed().toStdString());
    m_list->setCurrentIndex(m_strategies.index(m_strategies.rowOf(QString::fromStdString(parsed->text))));
    refresh();
}

void StrategiesCard::addTyped()
{
    if (m_add->text().trimmed().isEmpty())
        return;
    add(m_add->text());
    if (m_refused.isEmpty())
        m_add->clear();
}

void StrategiesCard::setCanMeasure(bool can, const QString &why)
{
    m_canMeasure = can;
    m_why = why;
    refresh();
}

/// What keeps Measure from working; empty where nothing does.
QString StrategiesCard::problemText() const
{
    if (!m_why.isEmpty() || !m_setup.hasModel())
        return m_why;
    if (const auto resolved = m_setup.resolved(); !resolved)
        return QString::fromStdString(resolved.error().message);
    return m_strategies.checked().empty() ? tr("Check at least one strategy.") : QString();
}

void StrategiesCard::refresh()
{
    const std::size_t count = m_strategies.checked().size();
    const QString problem = problemText();
    // A budget that nothing fits is worth its sentence and can be measured all the same: the run says so as well.
    // That a peak is above the limit stands beside the bar already.
    const auto &known = m_forecast.answer().strategies;
    const auto row = known.find(m_list->currentIndex().data(StrategyListModel::StrategyRole).toString().toStdString());
    const QString ofRow = row == known.end() ? QString() : row->second.problem;
    QStringList sentences{m_refused.isEmpty() ? ofRow : m_refused, problem};
    sentences.removeAll(QString());
    const QString shown = sentences.join(u'\n');
    m_problem->setText(shown);
    m_problem->setVisible(!shown.isEmpty());
    m_measure->setText(count == 1 ? tr("Measure 1 strategy  F5") : tr("Measure %1 strategies  F5").arg(count));
    m_measure->setEnabled(m_canMeasure && problem.isEmpty() && m_setup.hasModel());
}

} // namespace remat::ui
