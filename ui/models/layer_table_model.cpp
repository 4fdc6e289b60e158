// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/layer_table_model.h"

#include <algorithm>

#include "model/parameter_inventory.h"
#include "model/stage.h"
#include "models/layer_treatment.h"
#include "models/stack_data.h"
#include "models/text.h"
#include "schedule/strategy.h"

namespace remat::ui {

namespace {

/// The row of a stage: embedding 0, block b at 1 + b, final norm and head after the blocks.
std::size_t rowOfStage(int stage, const core::ChainShape &shape)
{
    if (stage <= 0)
        return 0;
    if (const int layer = shape.layerOf(stage); layer >= 0)
        return static_cast<std::size_t>(1 + layer);
    return static_cast<std::size_t>(stage == shape.finalStage() ? shape.layers + 1 : shape.layers + 2);
}

void addTreatment(std::vector<LayerRow> &rows, const LayerTreatment &treatment)
{
    for (std::size_t layer = 0; layer < treatment.checkpoint.size(); ++layer) {
        LayerRow &row = rows[layer + 1];
        row.checkpoint = treatment.checkpoint[layer];
        row.rebuilt = treatment.rebuilt[layer];
        row.partly = treatment.partly[layer];
    }
}

void addTimes(std::vector<LayerRow> &rows, const core::Recording &recording, const core::ChainShape &shape)
{
    for (LayerRow &row : rows)
        row.forwardNs = row.recomputeNs = row.backwardNs = 0;
    for (const core::OpRecord &op : recording.ops) {
        if (op.stage < 0)
            continue;
        LayerRow &row = rows[std::min(rowOfStage(op.stage, shape), rows.size() - 1)];
        const core::Nanoseconds ns = op.end - op.begin;
        switch (op.phase) {
        case core::Phase::forward:
            row.forwardNs += ns;
            break;
        case core::Phase::recompute:
            row.recomputeNs += ns;
            break;
        case core::Phase::backward:
            row.backwardNs += ns - op.rebuildNs;
            row.recomputeNs += op.rebuildNs;
            break;
        // Head and loss run forward and backward in one op.
        case core::Phase::loss:
            row.backwardNs += ns;
            break;
        case core::Phase::optimizer:
        case core::Phase::other:
            break;
        }
    }
}

/// Bytes alive at the peak of the step, by the layer whose op allocated them.
void addPeak(std::vector<LayerRow> &rows, const core::Recording &recording, MemoryAxis axis,
             const core::ChainShape &shape)
{
    const StackData stack(recording, {true, axis == MemoryAxis::everything, shape});
    StackData::Walker walker(stack);
    const std::vector<core::Bytes> &held = walker.at(stack.peak());
    for (int layer = 0; layer < shape.layers; ++layer) {
        const auto series = static_cast<std::size_t>(1 + 2 * layer);
        rows[static_cast<std::size_t>(1 + layer)].atPeak = held[series] + held[series + 1];
    }
}

Qt::Alignment alignmentOf(int column)
{
    const bool words
        = column == LayerTableModel::Name || column == LayerTableModel::Kept || column == LayerTableModel::Rebuilt;
    return Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight);
}

} // namespace

std::vector<LayerRow> layerRows(const core::ModelConfig &model, const core::Schedule *schedule,
                                const core::Recording *recording, MemoryAxis axis, const core::Workload &workload)
{
    const core::ChainShape shape = chainShape(model, workload);
    const int layers = model.layers;
    std::vector<LayerRow> rows(static_cast<std::size_t>(layers) + 3);
    rows.front().name = LayerTableModel::tr("embedding");
    for (int layer = 0; layer < layers; ++layer) {
        rows[static_cast<std::size_t>(layer) + 1].name = LayerTableModel::tr("layer %1").arg(layer);
        rows[static_cast<std::size_t>(layer) + 1].layer = layer;
    }
    rows[static_cast<std::size_t>(layers) + 1].name = LayerTableModel::tr("final norm");
    rows.back().name = LayerTableModel::tr("head and loss");
    for (const core::Parameter &parameter : core::parameterInventory(model, workload.train))
        rows[std::min(rowOfStage(parameter.stage, shape), rows.size() - 1)].parameters += parameter.elements();
    addTreatment(rows, treatmentOf(schedule, shape));
    if (recording && !recording->events.empty()) {
        addTimes(rows, *recording, shape);
        addPeak(rows, *recording, axis, shape);
    }
    return rows;
}

LayerTableModel::LayerTableModel(QObject *parent) : QAbstractTableModel(parent) { }

void LayerTableModel::setRows(std::vector<LayerRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_largest.assign(ColumnCount, 0);
    for (const LayerRow &row : m_rows) {
        for (int column = 0; column < ColumnCount; ++column)
            m_largest[static_cast<std::size_t>(column)]
                = std::max(m_largest[static_cast<std::size_t>(column)], number(row, column));
    }
    endResetModel();
}

int LayerTableModel::rowOfLayer(int layer) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (layer >= 0 && m_rows[i].layer == layer)
            return static_cast<int>(i);
    }
    return -1;
}

int LayerTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LayerTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

qint64 LayerTableModel::number(const LayerRow &row, int column)
{
    switch (column) {
    case Parameters:
        return row.parameters;
    case Kept:
        return row.checkpoint ? 1 : 0;
    case Rebuilt:
        return row.rebuilt ? 2 : row.partly ? 1 : 0;
    case AtPeak:
        return row.atPeak;
    case Forward:
        return row.forwardNs;
    case Recompute:
        return row.recomputeNs;
    case Backward:
        return row.backwardNs;
    default:
        return 0;
    }
}

QString LayerTableModel::text(const LayerRow &row, int column) const
{
    const auto time = [](core::Nanoseconds ns) { return ns > 0 ? durationText(ns) : QStringLiteral("–"); };
    switch (column) {
    case Name:
        return row.name;
    case Parameters:
        return countText(row.parameters);
    case Kept:
        return row.checkpoint ? tr("kept") : QStringLiteral("–");
    case Rebuilt:
        return row.rebuilt ? tr("yes") : row.partly ? tr("in part") : QStringLiteral("–");
    case AtPeak:
        return row.atPeak > 0 ? bytesText(row.atPeak) : QStringLiteral("–");
    case Forward:
        return time(row.forwardNs);
    case Recompute:
        return time(row.recomputeNs);
    case Backward:
        return time(row.backwardNs);
    default:
        return {};
    }
}

QVariant LayerTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LayerRow &row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return column == AtPeak && row.atPeak >= 0 ? QVariant(exactBytesText(row.atPeak)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(column));
    case SortRole:
        return column == Name ? QVariant(index.row()) : QVariant(number(row, column));
    case BarRole: {
        const qint64 largest = m_largest[static_cast<std::size_t>(column)];
        const bool bar = column == Parameters || column >= AtPeak;
        return bar && largest > 0 ? QVariant(static_cast<double>(number(row, column)) / static_cast<double>(largest))
                                  : QVariant();
    }
    case LayerRole:
        return row.layer;
    default:
        return {};
    }
}

QVariant LayerTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(section));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Name:
        return tr("Layer");
    case Parameters:
        return tr("Parameters");
    case Kept:
        return tr("Checkpoint");
    case Rebuilt:
        return tr("Rebuilt");
    case AtPeak:
        return tr("At the peak");
    case Forward:
        return tr("Forward");
    case Recompute:
        return tr("Recompute");
    case Backward:
        return tr("Backward");
    default:
        return {};
    }
}

} // namespace remat::ui
