// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/table_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "models/text_table_model.h"
#include "widgets/tables.h"

namespace remat::ui {

TableDialog::TableDialog(const QString &title, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(title);
    setObjectName(QStringLiteral("page"));
    resize(QSize(1120, 620).boundedTo(screen()->availableSize() * 0.95));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    m_body = new QVBoxLayout;
    m_body->setSpacing(12);
    column->addLayout(m_body, 1);
    auto *row = new QHBoxLayout;
    m_copy = new QPushButton(tr("Copy as text"), this);
    m_close = new QPushButton(tr("Close"), this);
    m_copy->setToolTip(tr("Everything here, columns separated by tabs"));
    m_copy->setAutoDefault(false);
    m_close->setAutoDefault(false);
    row->addWidget(m_copy);
    row->addStretch(1);
    row->addWidget(m_close);
    column->addLayout(row);
    new QShortcut(QKeySequence(QKeySequence::Copy), this, [this] { copy(); });
    connect(m_copy, &QPushButton::clicked, this, &TableDialog::copy);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
}

QTableView *TableDialog::makeTable(QAbstractItemModel &rows, const QString &name, std::initializer_list<int> wide)
{
    auto *proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(&rows);
    proxy->setSortRole(TextTableModel::SortRole);
    auto *table = new QTableView(this);
    table->setModel(proxy);
    table->setAccessibleName(name);
    dressTable(*table);
    table->sortByColumn(-1, Qt::AscendingOrder);
    table->setTextElideMode(Qt::ElideRight);
    QHeaderView *header = table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setMinimumSectionSize(48);
    for (const int column : wide)
        header->setSectionResizeMode(column, QHeaderView::Stretch);
    return table;
}

void TableDialog::putButtonsAfter(QWidget &last)
{
    setTabOrder(&last, m_copy);
    setTabOrder(m_copy, m_close);
}

void TableDialog::showEvent(QShowEvent *event)
{
    QDialog::showEvent(event);
    ask();
}

void TableDialog::copy()
{
    QApplication::clipboard()->setText(tableText());
}

} // namespace remat::ui
