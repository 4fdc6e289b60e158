// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "store/session.h"

namespace remat::ui {

/// Every run of a session, newest first: what History lists.
class RunTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Started, Model, Strategy, Status, Peak, Activations, Step, Device, ColumnCount };
    enum Role { SortRole = Qt::UserRole, StrategyRole, WorkloadRole };

    explicit RunTableModel(QObject *parent = nullptr);
    void setRuns(const std::vector<core::StoredRun> &runs);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] static QString text(const core::StoredRun &run, int column);
    [[nodiscard]] static QVariant sortKey(const core::StoredRun &run, int column);

    std::vector<core::StoredRun> m_runs;
};

} // namespace remat::ui
