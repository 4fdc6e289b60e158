// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/goal_card.h"

#include <cmath>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "pages/form_grid.h"
#include "theme/theme.h"
#include "widgets/segmented_control.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "Batch 8 × 1,024 tokens · Best plan within 24 GiB."
QString headline(const core::GoalAnswer &answer, std::int64_t positions)
{
    const QString strategy = QString::fromStdString(answer.expected.strategy);
    QString text = GoalCard::tr("Batch %1 × %2 tokens · %3.")
                       .arg(countText(answer.workload.batch), countText(answer.workload.seq), strategyTitle(strategy));
    if (answer.kind == core::GoalKind::longestSequence && answer.workload.seq == positions)
        text += u' ' + GoalCard::tr("The model ends at that length.");
    return text;
}

} // namespace

GoalCard::GoalCard(SetupModel &setup, GoalModel &goal, QWidget *parent)
    : FoldCard(tr("Reach a goal"), parent), m_setup(setup), m_goal(goal)
{
    setupQuestion();
    setupAnswer();
    connect(&goal, &GoalModel::changed, this, &GoalCard::refresh);
    connect(this, &FoldCard::opened, this, [this] {
        suggestBudget();
        refresh();
    });
    refresh();
}

void GoalCard::setupQuestion()
{
    m_kind = new SegmentedControl({tr("Fits"), tr("Fastest"), tr("Longest")}, tr("Goal"), this);
    const QString goals[] = {tr("This batch and length, as fast as memory allows"),
                             tr("The batch with the most tokens a second"), tr("The longest sequence")};
    int at = 0;
    for (QPushButton *choice : m_kind->findChildren<QPushButton *>()) {
        choice->setToolTip(goals[at]);
        choice->setAccessibleDescription(goals[at++]);
    }
    auto *kind = new QHBoxLayout;
    kind->addWidget(m_kind);
    kind->addStretch(1);
    inside()->addLayout(kind);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(6);
    grid->setColumnStretch(1, 1);
    m_budget = new QLineEdit(u"24 GiB"_s, this);
    m_budget->setAccessibleName(tr("Memory that may be used"));
    m_budget->setMinimumWidth(64);
    m_budget->setToolTip(tr("Everything counted: weights, gradients, optimizer, activations"));
    m_times = new QComboBox(this);
    m_times->setAccessibleName(tr("Where times come from"));
    m_times->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_times->setMinimumContentsLength(8);
    for (const core::DevicePeaks &device : core::deviceTable()) {
        m_times->addItem(fromView(device.name), fromView(device.id));
        m_times->setItemData(
            m_times->count() - 1,
            tr("%1 memory, published peaks: %2").arg(bytesText(device.memory), fromView(device.source)),
            Qt::ToolTipRole);
    }
    m_times->setCurrentIndex(m_times->findData(u"a100-80gb"_s));
    leaveWheelToPage(*m_times);
    m_find = new QPushButton(tr("Find"), this);
    setRole(m_find, "outline");
    auto *in = makeLabel(tr("within"), false, "secondary");
    in->setBuddy(m_budget);
    auto *by = makeLabel(tr("times by"), false, "secondary");
    by->setBuddy(m_times);
    grid->addWidget(in, 0, 0);
    grid->addWidget(m_budget, 0, 1);
    grid->addWidget(by, 1, 0);
    grid->addWidget(m_times, 1, 1, 1, 2);
    grid->addWidget(m_find, 0, 2);
    inside()->addLayout(grid);
    m_problem = makeSentence("warning");
    inside()->addWidget(m_problem);
    m_busy = makeSentence("secondary");
    m_busy->setText(tr("Looking at plans; large models take seconds…"));
    inside()->addWidget(m_busy);
    connect(m_find, &QPushButton::clicked, this, &GoalCard::ask);
    connect(m_times, &QComboBox::currentIndexChanged, this, [this] {
        if (const QString device = m_times->currentData().toString(); !device.isEmpty())
            Q_EMIT deviceChosen(device);
    });
    connect(m_budget, &QLineEdit::returnPressed, this, &GoalCard::ask);
}

void GoalCard::setupAnswer()
{
    m_answer = new QWidget(this);
    auto *column = new QVBoxLayout(m_answer);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(makeHairline());
    column->addWidget(m_words = makeSentence(nullptr));
    m_plan = new QWidget(m_answer);
    auto *plan = new QVBoxLayout(m_plan);
    plan->setContentsMargins(0, 0, 0, 0);
    plan->setSpacing(8);
    m_numbers = makeSentence(nullptr);
    m_numbers->setFont(themeFont(TextRole::title));
    plan->addWidget(m_numbers);
    m_command = new QLineEdit(m_plan);
    m_command->setReadOnly(true);
    m_command->setAccessibleName(tr("What to type"));
    auto *copy = new QPushButton(tr("Copy"), m_plan);
    copy->setToolTip(tr("Copy the command line"));
    auto *typed = new QHBoxLayout;
    typed->addWidget(m_command, 1);
    typed->addWidget(copy);
    plan->addLayout(typed);
    m_use = new QPushButton(tr("Use this"), m_plan);
    m_use->setToolTip(tr("Batch and sequence length go into the workload, the strategy into the list"));
    setRole(m_use, "outline");
    plan->addWidget(m_use, 0, Qt::AlignLeft);
    column->addWidget(m_plan);
    column->addWidget(m_trust = makeSentence("secondary"));
    inside()->addWidget(m_answer);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_command->text()); });
    connect(m_use, &QPushButton::clicked, &m_goal, &GoalModel::takeOver);
}

/// Until somebody writes another one: the limit that the setup has.
void GoalCard::suggestBudget()
{
    const auto limit = m_setup.memoryLimit();
    if (limit && !m_budget->isModified())
        m_budget->setText(bytesText(limit->bytes));
}

QString GoalCard::budget()
{
    suggestBudget();
    return m_budget->text();
}

void GoalCard::ask()
{
    if (m_goal.busy()) {
        m_goal.stop();
        return;
    }
    m_goal.ask(static_cast<core::GoalKind>(m_kind->current()), m_budget->text(), {m_times->currentData().toString()});
}

/// The probe is offered where there is one.
void GoalCard::refresh()
{
    const int probe = m_times->findData(QString());
    if (m_goal.hasProbe() && probe < 0) {
        m_times->insertItem(0, tr("the probe of this session"), QString());
    } else if (!m_goal.hasProbe() && probe >= 0) {
        m_times->removeItem(probe);
    }
    m_find->setText(m_goal.busy() ? tr("Stop") : tr("Find"));
    m_busy->setVisible(m_goal.busy());
    m_problem->setText(m_goal.problem());
    m_problem->setVisible(!m_goal.problem().isEmpty());
    const bool isNew = m_goal.answer() && m_answer->isHidden();
    m_answer->setVisible(m_goal.answer().has_value());
    if (m_goal.answer())
        refreshAnswer();
    if (isNew)
        Q_EMIT answered();
}

void GoalCard::refreshAnswer()
{
    const core::GoalAnswer &answer = *m_goal.answer();
    m_plan->setVisible(answer.reachable);
    setRole(m_words, answer.reachable ? "" : "warning");
    m_words->setText(answer.reachable ? headline(answer, m_setup.model().positions)
                                      : QString::fromStdString(answer.words));
    m_trust->setText(m_goal.trust());
    if (!answer.reachable)
        return;
    // Numbers wrap between each other, never inside.
    const auto whole = [](QString words) { return words.replace(u' ', QChar::Nbsp); };
    const QString step = (answer.roughTimes ? u"≈ "_s : QString()) + durationText(answer.expected.step);
    m_numbers->setText(whole(tr("peak %1").arg(bytesText(answer.expected.peak))) + u" · "_s
                       + whole(tr("step %1").arg(step)) + u" · "_s
                       + whole(tr("%1 tokens/s").arg(countText(std::llround(answer.expected.tokensPerSecond)))));
    m_numbers->setToolTip(exactBytesText(answer.expected.peak));
    m_command->setText(m_goal.command());
    m_command->setCursorPosition(0);
    m_command->setToolTip(m_goal.command().contains(u" CONFIG "_s)
                              ? m_goal.command() + u'\n' + tr("CONFIG stands for the file of the config.")
                              : m_goal.command());
}

} // namespace remat::ui
