// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/goal_model.h"
#include "widgets/fold_card.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace remat::ui {

class SegmentedControl;

/// What to run to reach a goal within so much memory: the question, and below it the answer with how far it is to be
/// trusted, what to type, and a button that takes it over. GUI thread.
class GoalCard : public FoldCard
{
    Q_OBJECT
public:
    GoalCard(SetupModel &setup, GoalModel &goal, QWidget *parent = nullptr);

    /// As it is written here; until somebody writes one, the limit that the setup has.
    [[nodiscard]] QString budget();

Q_SIGNALS:
    /// An answer came to stand below the question.
    void answered();
    /// A device of the table whose published peaks plans are weighed by.
    void deviceChosen(const QString &device);

private:
    void setupQuestion();
    void setupAnswer();
    void ask();
    void refresh();
    void refreshAnswer();
    void suggestBudget();

    SetupModel &m_setup;
    GoalModel &m_goal;
    SegmentedControl *m_kind = nullptr;
    QLineEdit *m_budget = nullptr;
    QComboBox *m_times = nullptr;
    QPushButton *m_find = nullptr;
    QLabel *m_problem = nullptr;
    QLabel *m_busy = nullptr;
    QWidget *m_answer = nullptr;
    QLabel *m_words = nullptr;
    QWidget *m_plan = nullptr; // what only an answer that can be run has
    QLabel *m_numbers = nullptr;
    QLabel *m_trust = nullptr;
    QLineEdit *m_command = nullptr;
    QPushButton *m_use = nullptr;
};

} // namespace remat::ui
