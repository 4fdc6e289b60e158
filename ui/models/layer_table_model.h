// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <QAbstractTableModel>

#include "config/model_config.h"
#include "measure/recording.h"
#include "model/stage.h"
#include "model/workload.h"
#include "models/layer_treatment.h"
#include "models/selection.h"

namespace remat::ui {

/// What one layer (or what stands around the blocks) costs in the chosen run. Bytes and times are -1 where the run was
/// not recorded.
struct LayerRow
{
    QString name;
    int layer = -1;
    qint64 parameters = 0;
    bool checkpoint = false; // its input is kept for a later forward
    bool rebuilt = false;    // its forward runs again
    bool partly = false;     // something inside it is dropped and rebuilt
    core::Bytes atPeak = -1; // alive at the step's peak
    core::Nanoseconds forwardNs = -1;
    core::Nanoseconds recomputeNs = -1;
    core::Nanoseconds backwardNs = -1;
};

/// Rows in the order of the chain: embedding, blocks from 0, final norm, head and loss. `schedule` and `recording` may be
/// null.
[[nodiscard]] std::vector<LayerRow> layerRows(const core::ModelConfig &model, const core::Schedule *schedule,
                                              const core::Recording *recording, MemoryAxis axis,
                                              const core::Workload &workload = {});

/// Table of layers. Sort by SortRole; BarRole is the share of the column's largest value, for bars in the cells.
class LayerTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Parameters, Kept, Rebuilt, AtPeak, Forward, Recompute, Backward, ColumnCount };
    enum Role { SortRole = Qt::UserRole, BarRole, LayerRole };

    explicit LayerTableModel(QObject *parent = nullptr);
    void setRows(std::vector<LayerRow> rows);
    [[nodiscard]] int rowOfLayer(int layer) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] static qint64 number(const LayerRow &row, int column);
    [[nodiscard]] QString text(const LayerRow &row, int column) const;

    std::vector<LayerRow> m_rows;
    std::vector<qint64> m_largest;
};

} // namespace remat::ui
