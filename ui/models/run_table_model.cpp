// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/run_table_model.h"

#include <algorithm>

#include <QDateTime>
#include <QLocale>

#include "models/text.h"

namespace remat::ui {

namespace {

Qt::Alignment alignmentOf(int column)
{
    return Qt::AlignVCenter
        | (column >= RunTableModel::Peak && column <= RunTableModel::Step ? Qt::AlignRight : Qt::AlignLeft);
}

} // namespace

RunTableModel::RunTableModel(QObject *parent) : QAbstractTableModel(parent) { }

void RunTableModel::setRuns(const std::vector<core::StoredRun> &runs)
{
    beginResetModel();
    m_runs = runs;
    std::reverse(m_runs.begin(), m_runs.end());
    endResetModel();
}

int RunTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunTableModel::text(const core::StoredRun &run, int column)
{
    const core::Point &p = run.point;
    switch (column) {
    case Started: {
        const QDateTime utc = QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODateWithMs);
        return utc.isValid() ? QLocale().toString(utc.toLocalTime(), QLocale::ShortFormat)
                             : QString::fromStdString(run.startedAt);
    }
    case Model:
        return tr("%1, %2 × %3").arg(QString::fromStdString(p.model)).arg(p.batch).arg(p.seq);
    case Strategy:
        return strategyTitle(QString::fromStdString(p.strategy));
    case Status:
        return statusText(p.status);
    case Peak:
        return p.peakBytes >= 0 ? bytesText(p.peakBytes) : QStringLiteral("–");
    case Activations:
        return p.activationPeakBytes >= 0 ? bytesText(p.activationPeakBytes) : QStringLiteral("–");
    case Step:
        return p.step.median > 0 ? durationText(p.step.median) : QStringLiteral("–");
    case Device:
        return QString::fromStdString(p.device);
    default:
        return {};
    }
}

QVariant RunTableModel::sortKey(const core::StoredRun &run, int column)
{
    switch (column) {
    case Started:
        return QVariant::fromValue<qlonglong>(run.point.run);
    case Peak:
        return QVariant::fromValue<qlonglong>(run.point.peakBytes);
    case Activations:
        return QVariant::fromValue<qlonglong>(run.point.activationPeakBytes);
    case Step:
        return QVariant::fromValue<qlonglong>(run.point.step.median);
    default:
        return text(run, column);
    }
}

QVariant RunTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::StoredRun &run = m_runs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(run, index.column());
    case Qt::ToolTipRole:
        return run.point.reason.empty() ? QVariant() : QVariant(QString::fromStdString(run.point.reason));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(index.column()));
    case SortRole:
        return sortKey(run, index.column());
    case StrategyRole:
        return QString::fromStdString(run.point.strategy);
    case WorkloadRole:
        return QVariant::fromValue<qlonglong>(run.workload);
    default:
        return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(section));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Started:
        return tr("Started");
    case Model:
        return tr("Model, batch × length");
    case Strategy:
        return tr("Strategy");
    case Status:
        return tr("Status");
    case Peak:
        return tr("Peak");
    case Activations:
        return tr("Activations");
    case Step:
        return tr("Step");
    case Device:
        return tr("Device");
    default:
        return {};
    }
}

} // namespace remat::ui
