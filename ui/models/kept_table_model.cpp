// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/kept_table_model.h"

#include <algorithm>

#include "models/step_story.h"
#include "models/text.h"

namespace remat::ui {

namespace {

core::Bytes bytesOf(const core::KeptBlock &block)
{
    return block.bytes * block.count;
}

Qt::Alignment alignmentOf(int column)
{
    return Qt::AlignVCenter | (column <= KeptTableModel::Kind ? Qt::AlignLeft : Qt::AlignRight);
}

} // namespace

KeptTableModel::KeptTableModel(QObject *parent) : QAbstractTableModel(parent) { }

void KeptTableModel::setBlocks(const std::vector<core::KeptBlock> &blocks, const core::ChainShape &shape, int layer)
{
    beginResetModel();
    m_shape = shape;
    m_blocks.clear();
    m_largest = 0;
    for (const core::KeptBlock &block : blocks) {
        if (layer >= 0 && shape.layerOf(block.stage) != layer)
            continue;
        m_blocks.push_back(block);
        m_largest = std::max(m_largest, bytesOf(block));
    }
    endResetModel();
}

core::Bytes KeptTableModel::total() const
{
    core::Bytes sum = 0;
    for (const core::KeptBlock &block : m_blocks)
        sum += bytesOf(block);
    return sum;
}

int KeptTableModel::blocks() const
{
    int sum = 0;
    for (const core::KeptBlock &block : m_blocks)
        sum += block.count;
    return sum;
}

int KeptTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_blocks.size());
}

int KeptTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString KeptTableModel::text(const core::KeptBlock &block, int column) const
{
    switch (column) {
    case Operator:
        return block.name.empty() ? tr("not known") : QString::fromStdString(block.name);
    case MadeBy: {
        core::OpRecord op;
        op.stage = block.stage;
        return tr("%1 · %2").arg(placeText(op, m_shape), QString::fromStdString(block.op));
    }
    case Kind:
        return categoryText(block.category);
    case Each:
        return bytesText(block.bytes);
    case Count:
        return countText(block.count);
    case Together:
        return bytesText(bytesOf(block));
    case Made:
        return durationText(block.made);
    case Dropped:
        return durationText(block.dropped);
    default:
        return {};
    }
}

QVariant KeptTableModel::sortKey(const core::KeptBlock &block, int column) const
{
    switch (column) {
    case MadeBy:
    case Made:
        return QVariant::fromValue<qlonglong>(block.made);
    case Each:
        return QVariant::fromValue<qlonglong>(block.bytes);
    case Count:
        return block.count;
    case Together:
        return QVariant::fromValue<qlonglong>(bytesOf(block));
    case Dropped:
        return QVariant::fromValue<qlonglong>(block.dropped);
    default:
        return text(block, column);
    }
}

QVariant KeptTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::KeptBlock &block = m_blocks[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(block, index.column());
    case Qt::ToolTipRole:
        if (index.column() == Each)
            return exactBytesText(block.bytes);
        return index.column() == Together ? exactBytesText(bytesOf(block)) : text(block, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(index.column()));
    case SortRole:
        return sortKey(block, index.column());
    case BarRole:
        return index.column() == Together && m_largest > 0
            ? QVariant(static_cast<double>(bytesOf(block)) / static_cast<double>(m_largest))
            : QVariant();
    default:
        return {};
    }
}

QVariant KeptTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(section));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Operator:
        return tr("Operator");
    case MadeBy:
        return tr("Made by");
    case Kind:
        return tr("Kept as");
    case Each:
        return tr("Each");
    case Count:
        return tr("Blocks");
    case Together:
        return tr("Together");
    case Made:
        return tr("Made");
    case Dropped:
        return tr("Dropped");
    default:
        return {};
    }
}

} // namespace remat::ui
