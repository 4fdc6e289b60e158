// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/limits_dialog.h"

#include <cmath>
#include <utility>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "models/text.h"
#include "widgets/card.h"
#include "widgets/tables.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

LimitsDialog::LimitsDialog(SetupModel &setup, const RunController &runs, QWidget *parent)
    : TableDialog(tr("What lowers the peak"), parent), m_setup(setup)
{
    m_model = new LimitsModel(setup, this);
    m_probe = new LeverProbe(*m_model, runs, this);
    body()->addWidget(makeLevers(), 1);
    body()->addWidget(makeReach());
    resize(QSize(width(), 680).boundedTo(screen()->availableSize() * 0.95));
    putButtonsAfter(*m_reaches);
    m_levers->setFocus();
    connect(this, &QDialog::finished, m_probe, &LeverProbe::stop); // nobody looks
    connect(&setup, &SetupModel::changed, this, &LimitsDialog::ask);
    connect(m_model, &LimitsModel::limitsChanged, this, &LimitsDialog::refreshLimits);
    connect(m_model, &LimitsModel::reachChanged, this, &LimitsDialog::refreshReach);
    connect(m_probe, &LeverProbe::changed, this, &LimitsDialog::refreshProbe);
    refreshLimits();
    refreshReach();
}

Card *LimitsDialog::makeLevers()
{
    auto *card = new Card(windowTitle(), this);
    card->body()->addWidget(m_verdict = makeSentence());
    card->body()->addWidget(m_limitsProblem = makeSentence("warning"));
    m_levers = makeTable(*m_model->levers(), tr("What lowers the peak beside checkpointing"), {LimitsModel::Change});
    m_levers->setWordWrap(true);
    m_levers->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_levers->setMinimumHeight(96);
    card->body()->addWidget(m_levers, 1);
    auto *row = new QHBoxLayout;
    m_use = new QPushButton(tr("Use this"), this);
    m_use->setAutoDefault(false);
    m_use->setToolTip(tr("The chosen row becomes part of the workload that is set up"));
    setRole(m_use, "outline");
    row->addWidget(m_use);
    m_prices = new QPushButton(tr("Probe the prices"), this);
    m_prices->setAutoDefault(false);
    setRole(m_prices, "outline");
    row->addWidget(m_prices);
    row->addWidget(m_trust = makeSentence("secondary"), 1);
    card->body()->addLayout(row);
    connect(m_use, &QPushButton::clicked, this, &LimitsDialog::use);
    connect(m_levers, &QTableView::activated, this, &LimitsDialog::use);
    connect(m_prices, &QPushButton::clicked, this, [this] { m_probe->busy() ? m_probe->stop() : m_probe->start(); });
    return card;
}

Card *LimitsDialog::makeReach()
{
    auto *card = new Card(tr("How far it reaches"), this);
    auto *in = makeLabel(tr("within"), false, "secondary");
    m_budget = new QLineEdit(this);
    m_budget->setAccessibleName(tr("Memory that may be used"));
    m_budget->setToolTip(tr("Everything counted: weights, gradients, optimizer, activations"));
    m_budget->setMaximumWidth(140);
    in->setBuddy(m_budget);
    card->header()->addStretch(1);
    card->header()->addWidget(m_busy
                              = makeLabel(tr("Looking at plans; large models take seconds…"), true, "secondary"));
    card->header()->addWidget(in);
    card->header()->addWidget(m_budget);
    card->body()->addWidget(m_reachProblem = makeSentence("warning"));
    m_reaches = makeTable(*m_model->reaches(), tr("Largest batch and longest sequence"), {LimitsModel::Strategy});
    m_reaches->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    card->body()->addWidget(m_reaches);
    card->body()->addWidget(m_crossing = makeSentence());
    card->body()->addWidget(m_reachTrust = makeSentence("secondary"));
    connect(m_budget, &QLineEdit::editingFinished, this, [this] {
        if (std::exchange(m_askedBudget, m_budget->text()) != m_budget->text())
            askReach();
    });
    return card;
}

void LimitsDialog::setDevice(const QString &device)
{
    m_model->setDevice(device);
    ask();
}

void LimitsDialog::suggestBudget(const QString &budget)
{
    if (m_budget->isModified() || m_budget->text() == budget)
        return;
    m_budget->setText(budget);
    if (isVisible())
        askReach();
}

void LimitsDialog::ask()
{
    if (!isVisible() || !m_setup.hasModel())
        return;
    m_model->askLimits();
    askReach();
}

void LimitsDialog::askReach()
{
    m_askedBudget = m_budget->text();
    m_model->askReach(m_askedBudget);
}

void LimitsDialog::refreshLimits()
{
    const int rows = m_model->levers()->rowCount();
    m_limitsProblem->setText(m_model->limitsProblem());
    m_limitsProblem->setVisible(!m_model->limitsProblem().isEmpty());
    QStringList verdict = m_model->verdicts();
    if (m_model->limits() && rows == 0)
        verdict
            += tr("No lever that is known here lowers it by %1 % or more.").arg(std::lround(core::kWorthwhile * 100));
    else if (!m_model->limits() && m_model->busyLimits())
        verdict += tr("Working it out…");
    m_verdict->setText(verdict.join(u'\n'));
    m_verdict->setVisible(!verdict.isEmpty());
    m_levers->setVisible(m_model->limitsProblem().isEmpty() && (rows > 0 || !m_model->limits()));
    m_use->setVisible(rows > 0);
    m_use->setEnabled(!m_model->busyLimits());
    refreshProbe();
    if (rows > 0 && !m_levers->currentIndex().isValid())
        m_levers->selectRow(0);
}

void LimitsDialog::refreshProbe()
{
    const QString obstacle = m_probe->obstacle();
    m_prices->setVisible(m_model->levers()->rowCount() > 0);
    m_prices->setText(m_probe->busy() ? tr("Stop") : tr("Probe the prices"));
    m_prices->setEnabled(m_probe->busy() || (obstacle.isEmpty() && !m_model->busyLimits()));
    m_prices->setToolTip(!obstacle.isEmpty() ? obstacle
                                             : tr("Runs small models of the setup with and without each row, and shows "
                                                  "how long a step of none takes"));
    QStringList words{m_probe->words()};
    if (!m_probe->busy())
        words += m_model->trust();
    words.removeAll(QString());
    m_trust->setText(words.join(u' '));
}

void LimitsDialog::refreshReach()
{
    const bool any = m_model->reach().has_value();
    m_busy->setVisible(m_model->busyReach());
    m_reachProblem->setText(m_model->reachProblem());
    m_reachProblem->setVisible(!m_model->reachProblem().isEmpty());
    m_reaches->setVisible(any);
    // Four rows at most: all are shown.
    m_reaches->setFixedHeight(m_reaches->horizontalHeader()->sizeHint().height() + m_reaches->verticalHeader()->length()
                              + 2 * m_reaches->frameWidth());
    m_crossing->setText(m_model->crossing());
    m_crossing->setVisible(any);
    m_reachTrust->setText(m_model->reachTrust());
    m_reachTrust->setVisible(!m_model->reachTrust().isEmpty());
}

int LimitsDialog::chosenLever() const
{
    const auto *proxy = static_cast<const QSortFilterProxyModel *>(m_levers->model());
    return proxy->mapToSource(m_levers->currentIndex()).row();
}

/// The answer on show is of a setup that may have changed since.
void LimitsDialog::use()
{
    if (!m_model->busyLimits())
        m_model->pull(chosenLever());
}

QString LimitsDialog::tableText() const
{
    QString text = m_model->verdicts().join(u'\n') + u'\n';
    if (m_model->levers()->rowCount() > 0)
        text += m_model->trust() + u'\n' + tableAsText(*m_levers->model());
    if (m_model->reach())
        text += tr("within %1").arg(bytesText(m_model->reach()->batches.budget)) + u'\n'
            + tableAsText(*m_reaches->model()) + m_model->crossing() + u'\n' + m_model->reachTrust() + u'\n';
    return text;
}

} // namespace remat::ui
