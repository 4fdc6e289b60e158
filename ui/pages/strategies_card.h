// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/forecast_model.h"
#include "widgets/card.h"

class QLineEdit;
class QListView;
class QPushButton;

namespace remat::ui {

/// The strategies to measure with their predicted peaks, a field for more, and the button that measures. The current row
/// is the strategy that the forecast shows. GUI thread.
class StrategiesCard : public Card
{
    Q_OBJECT
public:
    StrategiesCard(SetupModel &setup, StrategyListModel &strategies, ForecastModel &forecast,
                   QWidget *parent = nullptr);

    void setCanMeasure(bool can, const QString &why);
    /// Adds a strategy, or checks it where it is listed, and makes it the current one.
    void add(const QString &strategy);

Q_SIGNALS:
    void measureWanted();

private:
    void setupList();
    void refresh();
    void keepCurrent();
    void addTyped();
    [[nodiscard]] QString problemText() const;

    SetupModel &m_setup;
    StrategyListModel &m_strategies;
    ForecastModel &m_forecast;
    QListView *m_list = nullptr;
    QLineEdit *m_add = nullptr;
    QLabel *m_problem = nullptr;
    QPushButton *m_measure = nullptr;
    bool m_canMeasure = false;
    QString m_why;
    QString m_refused; // what was typed last, and why it cannot be added
};

} // namespace remat::ui
