// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/strategy_list_model.h"

#include <algorithm>

#include "models/selection.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString toolTip(const core::Strategy &strategy)
{
    const QString spelling = QString::fromStdString(strategy.text), dropped = droppedText(spelling);
    return dropped.isEmpty() ? spelling : spelling + u'\n' + dropped;
}

} // namespace

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
}

core::Result<void> StrategyListModel::add(const QString &text)
{
    auto strategy = core::parseStrategy(text.trimmed().toStdString());
    if (!strategy)
        return strategy.error();
    if (auto schedule = core::makeSchedule(*strategy, m_shape); !schedule)
        return schedule.error();
    const auto same = std::find_if(m_entries.begin(), m_entries.end(),
                                   [&](const Entry &entry) { return entry.strategy.text == strategy->text; });
    if (same != m_entries.end()) {
        (void)setData(index(static_cast<int>(same - m_entries.begin())), Qt::Checked, Qt::CheckStateRole);
        return {};
    }
    const int row = static_cast<int>(m_entries.size());
    beginInsertRows({}, row, row);
    m_entries.push_back({std::move(strategy).value(), true});
    endInsertRows();
    Q_EMIT checkedChanged();
    return {};
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
        return toolTip(entry.strategy);
    case Qt::CheckStateRole:
        return entry.checked ? Qt::Checked : Qt::Unchecked;
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
