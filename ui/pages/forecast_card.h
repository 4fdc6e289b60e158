// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/forecast_model.h"
#include "widgets/card.h"

class QBoxLayout;
class QPushButton;

namespace remat::ui {

class NumberTile;
class StackedBar;

/// Before anything runs: the predicted peak and its parts, where it is, and the most that any schedule can save. Where the
/// formula refuses, what is certain all the same, and why there is no more. GUI thread.
class ForecastCard : public Card
{
    Q_OBJECT
public:
    ForecastCard(SetupModel &setup, ForecastModel &forecast, QWidget *parent = nullptr);

Q_SIGNALS:
    /// A plan within so many bytes should be listed.
    void planWanted(remat::core::Bytes budget);
    void formulasWanted();
    void leversWanted();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    void showEstimate(const core::Estimate &estimate);
    void showCertain();
    void showLimit(const core::Estimate *estimate);
    [[nodiscard]] QString caption(const core::Estimate &estimate) const;

    SetupModel &m_setup;
    ForecastModel &m_forecast;
    QLabel *m_kind = nullptr;
    NumberTile *m_peak = nullptr;
    StackedBar *m_bar = nullptr;
    QLabel *m_limit = nullptr;
    QPushButton *m_plan = nullptr;
    QLabel *m_where = nullptr;
    QLabel *m_hardly = nullptr;
    QLabel *m_saving = nullptr;
    QBoxLayout *m_more = nullptr; // buttons that open windows
};

} // namespace remat::ui
