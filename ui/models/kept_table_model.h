// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "measure/recording.h"
#include "model/stage.h"

namespace remat::ui {

/// The blocks of memory that a recorded step kept for its backward, those of one layer or of all (-1). Sort by SortRole;
/// BarRole is the share of the largest row, for bars in the cells. GUI thread.
class KeptTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Operator, MadeBy, Kind, Each, Count, Together, Made, Dropped, ColumnCount };
    enum Role { SortRole = Qt::UserRole, BarRole };

    explicit KeptTableModel(QObject *parent = nullptr);
    void setBlocks(const std::vector<core::KeptBlock> &blocks, const core::ChainShape &shape, int layer);
    [[nodiscard]] core::Bytes total() const;
    [[nodiscard]] int blocks() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const core::KeptBlock &block, int column) const;
    [[nodiscard]] QVariant sortKey(const core::KeptBlock &block, int column) const;

    std::vector<core::KeptBlock> m_blocks;
    core::ChainShape m_shape;
    core::Bytes m_largest = 0;
};

} // namespace remat::ui
