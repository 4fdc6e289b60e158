// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/strategy_list_model.h"

#include <algorithm>

#include "models/selection.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

StrategyListModel::StrategyListModel(QObject *parent) : QAbstractListModel(parent) { }

QStringList StrategyListModel::automatic(int layers)
{
    if (layers <= 0)
        return {};
    QStringList list{u"none"_s};
    for (const int n : {1, 2, 3, 4}) {
        if (n < layers || n == 1)
            list += Selection::strategyFor(HandleMode::every, n);
    }
    for (int k = 1; k <= layers; k = k < 4 ? k + 1 : k * 3 / 2) {
        if (k > 1)
            list += Selection::strategyFor(HandleMode::segments, k);
    }
    return list;
}

QStringList StrategyListModel::offered()
{
    return {u"selective:attention"_s, u"selective:mlp"_s, u"selective:attention+mlp"_s};
}

void StrategyListModel::setShape(const core::ChainShape &shape)
{
    if (shape == m_shape)
        return;
    beginResetModel();
    m_shape = shape;
    m_entries.clear();
    const QStringList checked = automatic(shape.layers);
    for (const QString &text : checked + (checked.isEmpty() ? QStringList() : offered())) {
        if (const auto strategy = core::parseStrategy(text.toStdString()))
            m_entries.push_back({*strategy, !strategy->options.any()});
    }
    endResetModel();
    Q_EMIT checkedChanged();
    Q_EMIT entriesChanged();
}

core::Result<void> StrategyListModel::add(const QString &text)
{
    auto strategy = core::parseStrategy(text.trimmed().toStdString());
    if (!strategy)
        return strategy.error();
    if (strategy->kind != core::StrategyKind::budget) {
        if (const auto schedule = core::makeSchedule(*strategy, m_shape); !schedule)
            return schedule.error();
    }
    if (const int same = rowOf(QString::fromStdString(strategy->text)); same >= 0) {
        (void)setData(index(same), Qt::Checked, Qt::CheckStateRole);
        return {};
    }
    const int row = static_cast<int>(m_entries.size());
    beginInsertRows({}, row, row);
    m_entries.push_back({std::move(strategy).value(), true});
    endInsertRows();
    Q_EMIT checkedChanged();
    Q_EMIT entriesChanged();
    return {};
}

int StrategyListModel::rowOf(const QString &strategy) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&strategy](const Entry &entry) {
        return QString::fromStdString(entry.strategy.text) == strategy;
    });
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

std::vector<core::Strategy> StrategyListModel::strategies() const
{
    std::vector<core::Strategy> list;
    list.reserve(m_entries.size());
    for (const Entry &entry : m_entries)
        list.push_back(entry.strategy);
    return list;
}

void StrategyListModel::setForecasts(const StrategyForecasts &forecasts, const std::optional<MemoryLimit> &limit)
{
    m_forecasts = forecasts;
    m_limit = limit;
    if (!m_entries.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1), {PeakRole, ProblemRole, Qt::ToolTipRole});
}

const StrategyForecast *StrategyListModel::forecastOf(const Entry &entry) const
{
    const auto found = m_forecasts.find(entry.strategy.text);
    return found == m_forecasts.end() ? nullptr : &found->second;
}

QString StrategyListModel::peakText(const Entry &entry) const
{
    const StrategyForecast *forecast = forecastOf(entry);
    if (!forecast || forecast->peak < 0)
        return {};
    return forecast->fits ? bytesText(forecast->peak) : tr("nothing fits");
}

QString StrategyListModel::problem(const Entry &entry) const
{
    const StrategyForecast *forecast = forecastOf(entry);
    if (!forecast)
        return {};
    if (!forecast->problem.isEmpty() || !m_limit || forecast->peak <= m_limit->bytes)
        return forecast->problem;
    const QString peak = bytesText(forecast->peak), limit = bytesText(m_limit->bytes);
    return m_limit->isBudget
        ? tr("The predicted peak, %1, is above the memory budget of %2.").arg(peak, limit)
        : tr("The predicted peak, %1, is more than the %2 of %3.").arg(peak, limit, m_limit->device);
}

QString StrategyListModel::toolTip(const Entry &entry) const
{
    QStringList lines{QString::fromStdString(entry.strategy.text)};
    lines += droppedText(lines.front());
    if (const StrategyForecast *forecast = forecastOf(entry); forecast && forecast->fits && forecast->peak >= 0)
        lines += tr("predicted peak: %1").arg(exactBytesText(forecast->peak));
    lines += problem(entry);
    lines.removeAll(QString());
    return lines.join(u'\n');
}

std::vector<core::Strategy> StrategyListModel::checked() const
{
    std::vector<core::Strategy> list;
    for (const Entry &entry : m_entries) {
        if (entry.checked)
            list.push_back(entry.strategy);
    }
    return list;
}

int StrategyListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant StrategyListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Entry &entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return strategyTitle(QString::fromStdString(entry.strategy.text));
    case Qt::ToolTipRole:
        return toolTip(entry);
    case Qt::CheckStateRole:
        return entry.checked ? Qt::Checked : Qt::Unchecked;
    case Qt::AccessibleTextRole:
        return peakText(entry).isEmpty()
            ? strategyTitle(QString::fromStdString(entry.strategy.text))
            : tr("%1, predicted peak %2")
                  .arg(strategyTitle(QString::fromStdString(entry.strategy.text)), peakText(entry));
    case StrategyRole:
        return QString::fromStdString(entry.strategy.text);
    case PeakRole:
        return peakText(entry);
    case ProblemRole:
        return problem(entry);
    default:
        return {};
    }
}

bool StrategyListModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return false;
    m_entries[static_cast<std::size_t>(index.row())].checked = value.toInt() == Qt::Checked;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT checkedChanged();
    return true;
}

Qt::ItemFlags StrategyListModel::flags(const QModelIndex &index) const
{
    return QAbstractListModel::flags(index) | (index.isValid() ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

} // namespace remat::ui
