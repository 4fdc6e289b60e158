// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runner/lever_probe.h"
#include "pages/table_dialog.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace remat::ui {

class Card;

/// Whether checkpointing matters for the setup, what else lowers its peak, and how far strategies reach within a budget.
/// Follows the setup while it is open; a lever can be taken over. GUI thread.
class LimitsDialog : public TableDialog
{
    Q_OBJECT
public:
    LimitsDialog(SetupModel &setup, const RunController &runs, QWidget *parent = nullptr);

    [[nodiscard]] LimitsModel *model() const { return m_model; }
    [[nodiscard]] LeverProbe *probe() const { return m_probe; }
    [[nodiscard]] QString tableText() const override;
    /// The device whose published peaks times go by.
    void setDevice(const QString &device);
    /// For as long as nobody wrote another one here.
    void suggestBudget(const QString &budget);

protected:
    void ask() override;

private:
    [[nodiscard]] Card *makeLevers();
    [[nodiscard]] Card *makeReach();
    void askReach();
    void refreshLimits();
    void refreshReach();
    void refreshProbe();
    void use();
    [[nodiscard]] int chosenLever() const;

    SetupModel &m_setup;
    LimitsModel *m_model = nullptr;
    QLabel *m_verdict = nullptr;
    QLabel *m_limitsProblem = nullptr;
    QTableView *m_levers = nullptr;
    QPushButton *m_use = nullptr;
    QPushButton *m_prices = nullptr;
    LeverProbe *m_probe = nullptr;
    QLabel *m_trust = nullptr;
    QLineEdit *m_budget = nullptr;
    QString m_askedBudget;
    QLabel *m_busy = nullptr;
    QLabel *m_reachProblem = nullptr;
    QTableView *m_reaches = nullptr;
    QLabel *m_crossing = nullptr;
    QLabel *m_reachTrust = nullptr;
};

} // namespace remat::ui
