// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QAbstractListModel>

#include "model/stage.h"
#include "models/forecast.h"
#include "models/setup_model.h"
#include "schedule/strategy.h"

namespace remat::ui {

/// The strategies that a sweep may measure, with a check mark and, where it is known, the predicted peak each. Follows the depth of the model: the automatic list
/// holds none and a spread of both modes, checked, and the selective strategies, offered.
class StrategyListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        StrategyRole = Qt::UserRole, // its spelling
        PeakRole,                    // the predicted peak in words; empty where it is not known
        ProblemRole                  // why it cannot run, or not within the limit; a sentence
    };

    explicit StrategyListModel(QObject *parent = nullptr);

    /// Replaces the list by the automatic one for a depth; 0 empties it.
    void setShape(const core::ChainShape &shape);
    /// Adds a strategy by its spelling, checked. The error says what is wrong with it. Whether a budget can be met, only a
    /// forecast tells.
    core::Result<void> add(const QString &text);
    [[nodiscard]] int rowOf(const QString &strategy) const; // -1: not listed
    [[nodiscard]] std::vector<core::Strategy> strategies() const;
    /// What is predicted of the strategies; peaks above the limit are problems.
    void setForecasts(const StrategyForecasts &forecasts, const std::optional<MemoryLimit> &limit);
    [[nodiscard]] std::vector<core::Strategy> checked() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    /// none every:1 every:2 every:3 segments:2 segments:3 … scaled to the depth, without repeats.
    [[nodiscard]] static QStringList automatic(int layers);

    /// What is listed below the automatic ones and measured when somebody checks it.
    [[nodiscard]] static QStringList offered();

Q_SIGNALS:
    void checkedChanged();
    /// Strategies came or went.
    void entriesChanged();

private:
    struct Entry
    {
        core::Strategy strategy;
        bool checked = true;
    };
    [[nodiscard]] const StrategyForecast *forecastOf(const Entry &entry) const;
    [[nodiscard]] QString peakText(const Entry &entry) const;
    [[nodiscard]] QString problem(const Entry &entry) const;
    [[nodiscard]] QString toolTip(const Entry &entry) const;

    std::vector<Entry> m_entries;
    core::ChainShape m_shape;
    StrategyForecasts m_forecasts;
    std::optional<MemoryLimit> m_limit;
};

} // namespace remat::ui
