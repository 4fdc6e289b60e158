// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/setup_page.h"

#include <numeric>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "pages/config_card.h"
#include "pages/workload_form.h"
#include "theme/theme.h"
#include "widgets/card.h"
#include "widgets/stacked_bar.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

/// "weights, weight gradients and optimizer state"
QString namesOf(const std::vector<PeakSummary::Part> &parts)
{
    QStringList names;
    for (const PeakSummary::Part &part : parts)
        names += categoryText(part.category);
    if (names.isEmpty())
        return {};
    const QString last = names.takeLast();
    return names.isEmpty() ? last : SetupPage::tr("%1 and %2").arg(names.join(u", "_s), last);
}

} // namespace

SetupPage::SetupPage(SetupModel &model, QWidget *parent) : QWidget(parent), m_model(model)
{
    setObjectName(u"page"_s);
    m_strategies = new StrategyListModel(this);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 16, 16);
    row->setSpacing(12);
    m_config = new ConfigCard(model, this);
    row->addWidget(m_config, 26);
    auto *workload = new Card(tr("Workload"), this);
    m_form = new WorkloadForm(model, workload);
    workload->body()->addWidget(m_form);
    row->addWidget(workload, 46);
    row->addWidget(makeRight(), 28);
    connect(m_config, &ConfigCard::openWanted, this, &SetupPage::openWanted);
    connect(&model, &SetupModel::changed, this, &SetupPage::refresh);
    connect(&model, &SetupModel::modelChanged, this, [this] { m_strategies->setShape(chainShape(m_model.model())); });
    connect(m_strategies, &StrategyListModel::checkedChanged, this, &SetupPage::refresh);
    refresh();
}

QWidget *SetupPage::makeRight()
{
    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(12);
    column->addWidget(makeBefore());
    column->addWidget(makeStrategies(), 1);
    return right;
}

Card *SetupPage::makeBefore()
{
    auto *card = new Card(tr("Before anything runs"), this);
    m_certain = makeLabel({}, true, "secondary");
    m_certain->setWordWrap(true);
    m_bar = new StackedBar(card);
    card->body()->addWidget(m_certain);
    card->body()->addWidget(m_bar);
    return card;
}

Card *SetupPage::makeStrategies()
{
    auto *card = new Card(tr("Strategies to measure"), this);
    auto *list = new QListView(card);
    list->setModel(m_strategies);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setTextElideMode(Qt::ElideRight);
    list->setAccessibleName(tr("Strategies to measure"));
    card->body()->addWidget(list, 1);
    m_add = new QLineEdit(card);
    m_add->setPlaceholderText(tr("add another, e.g. recursive or first:3"));
    m_add->setAccessibleName(tr("Add a strategy"));
    card->body()->addWidget(m_add);
    m_problem = makeLabel({}, true, "warning");
    m_problem->setWordWrap(true);
    card->body()->addWidget(m_problem);
    m_measure = new QPushButton(tr("Measure"), card);
    setRole(m_measure, "primary");
    card->body()->addWidget(m_measure);
    connect(m_add, &QLineEdit::returnPressed, this, &SetupPage::addStrategy);
    connect(m_measure, &QPushButton::clicked, this, &SetupPage::measureWanted);
    return card;
}

void SetupPage::addStrategy()
{
    if (m_add->text().trimmed().isEmpty())
        return;
    const auto added = m_strategies->add(m_add->text());
    if (added) {
        m_add->clear();
        refresh();
    } else {
        m_problem->setText(QString::fromStdString(added.error().message));
        m_problem->show();
    }
}

void SetupPage::setCanMeasure(bool can, const QString &why)
{
    m_canMeasure = can;
    m_why = why;
    refresh();
}

void SetupPage::refresh()
{
    const std::size_t count = m_strategies->checked().size();
    QString problem = m_why;
    if (problem.isEmpty() && m_model.hasModel()) {
        if (const auto resolved = m_model.resolved(); !resolved)
            problem = QString::fromStdString(resolved.error().message);
        else if (count == 0)
            problem = tr("Check at least one strategy.");
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_measure->setText(count == 1 ? tr("Measure 1 strategy  F5") : tr("Measure %1 strategies  F5").arg(count));
    m_measure->setEnabled(m_canMeasure && problem.isEmpty() && m_model.hasModel());
    const auto parts = m_model.certainBytes();
    const core::Bytes sum
        = std::accumulate(parts.begin(), parts.end(), core::Bytes{0},
                          [](core::Bytes total, const PeakSummary::Part &part) { return total + part.bytes; });
    m_bar->setParts(parts);
    m_certain->setText(parts.empty() ? QString()
                                     : tr("%1 for %2, whatever the strategy. Activations come on top; "
                                          "they are what a measurement shows and checkpointing shrinks.")
                                           .arg(bytesText(sum), namesOf(parts)));
}

} // namespace remat::ui
