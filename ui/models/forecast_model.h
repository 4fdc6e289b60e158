// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/forecast.h"
#include "models/latest_task.h"
#include "models/setup_model.h"
#include "models/strategy_list_model.h"

namespace remat::ui {

/// What the formula says of the setup before anything runs: follows the setup, the list of strategies (whose rows get
/// their peaks) and the strategy that is shown. Computed on another thread, the newest question wins; until its answer
/// comes the one before stands. GUI thread.
class ForecastModel : public QObject
{
    Q_OBJECT
public:
    ForecastModel(SetupModel &setup, StrategyListModel &strategies, QObject *parent = nullptr);

    /// The strategy whose parts and place of the peak are wanted.
    void show(const QString &strategy);
    [[nodiscard]] const QString &shown() const { return m_shown; }
    /// The device of published peaks by which plans are weighed.
    void setDevice(const QString &device);
    [[nodiscard]] const QString &device() const { return m_device; }

    /// Empty before the first one.
    [[nodiscard]] const ForecastAnswer &answer() const { return m_answer; }
    [[nodiscard]] bool busy() const { return m_task.busy() || m_askLater; }

    /// What is shown as tab-separated text: parts in bytes, the place of the peak, the strategies' peaks.
    [[nodiscard]] QString asText() const;

Q_SIGNALS:
    void changed();
    /// Every peak that was asked for is known.
    void settled();

private:
    void forget();
    void askSoon();
    void ask();
    void take(ForecastAnswer answer);

    SetupModel &m_setup;
    StrategyListModel &m_strategies;
    LatestTask m_task;
    QString m_shown;
    QString m_device;
    ForecastAnswer m_answer;
    std::shared_ptr<const FormulaCosts> m_costs; // of the setup as it is, else null
    StrategyForecasts m_known;
    bool m_askLater = false;
};

} // namespace remat::ui
