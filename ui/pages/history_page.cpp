// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/history_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/card.h"
#include "widgets/tables.h"

namespace remat::ui {

HistoryPage::HistoryPage(SessionDocument &document, QWidget *parent) : QWidget(parent), m_document(document)
{
    setObjectName(QStringLiteral("page"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    auto *card = new Card(tr("Runs of this session"), this);
    card->header()->addStretch(1);
    card->header()->addWidget(makeLabel(tr("Enter or a double click shows a run"), true, "secondary"));
    column->addWidget(card);
    m_model = new RunTableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(RunTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_proxy);
    m_table->setAccessibleName(tr("Runs"));
    dressTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(RunTableModel::Strategy, QHeaderView::ResizeToContents);
    m_table->sortByColumn(RunTableModel::Started, Qt::DescendingOrder);
    card->body()->addWidget(m_table);
    connect(&document, &SessionDocument::pointsChanged, this, [this] { m_model->setRuns(m_document.runs()); });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &index) {
        Q_EMIT runChosen(index.data(RunTableModel::WorkloadRole).toLongLong(),
                         index.data(RunTableModel::StrategyRole).toString());
    });
}

QString HistoryPage::tableText() const
{
    return tableAsText(*m_proxy);
}

} // namespace remat::ui
