// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/setup_model.h"
#include "models/strategy_list_model.h"

class QLabel;
class QLineEdit;
class QListView;
class QPushButton;

namespace remat::ui {

class Card;
class ConfigCard;
class StackedBar;
class WorkloadForm;

/// What is measured: config, workload, strategies, and what is known before anything runs. GUI thread.
class SetupPage : public QWidget
{
    Q_OBJECT
public:
    explicit SetupPage(SetupModel &model, QWidget *parent = nullptr);

    [[nodiscard]] StrategyListModel *strategies() const { return m_strategies; }
    [[nodiscard]] WorkloadForm *form() const { return m_form; }
    void setCanMeasure(bool can, const QString &why);

Q_SIGNALS:
    void openWanted();
    void measureWanted();

private:
    [[nodiscard]] QWidget *makeRight();
    [[nodiscard]] Card *makeBefore();
    [[nodiscard]] Card *makeStrategies();
    void refresh();
    void addStrategy();

    SetupModel &m_model;
    StrategyListModel *m_strategies = nullptr;
    ConfigCard *m_config = nullptr;
    WorkloadForm *m_form = nullptr;
    StackedBar *m_bar = nullptr;
    QLabel *m_certain = nullptr;
    QLabel *m_problem = nullptr;
    QLineEdit *m_add = nullptr;
    QPushButton *m_measure = nullptr;
    bool m_canMeasure = false;
    QString m_why;
};

} // namespace remat::ui
