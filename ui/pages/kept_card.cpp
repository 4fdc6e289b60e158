// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/kept_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "models/kept_table_model.h"
#include "models/text.h"
#include "widgets/bar_delegate.h"
#include "widgets/tables.h"

namespace remat::ui {

KeptCard::KeptCard(SessionDocument &document, Analysis &analysis, Selection &selection, QWidget *parent)
    : Card(tr("Kept for the backward"), parent), m_document(document), m_analysis(analysis), m_selection(selection)
{
    m_sum = makeLabel({}, true, "secondary");
    header()->addSpacing(6);
    header()->addWidget(m_sum, 1);
    setupTable();
    m_empty = makeLabel({}, false, "secondary");
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    body()->addWidget(m_empty, 1);
    connect(&analysis, &Analysis::shownChanged, this, &KeptCard::readBlocks);
    connect(&selection, &Selection::layerChanged, this, &KeptCard::showLayer);
    readBlocks();
}

void KeptCard::setupTable()
{
    m_model = new KeptTableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(KeptTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_proxy);
    m_table->setItemDelegate(new BarDelegate(KeptTableModel::BarRole, m_table));
    m_table->setAccessibleName(tr("Blocks kept for the backward"));
    dressTable(*m_table);
    m_table->sortByColumn(KeptTableModel::Together, Qt::DescendingOrder);
    for (const int column : {KeptTableModel::Operator, KeptTableModel::MadeBy, KeptTableModel::Kind})
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    body()->addWidget(m_table, 1);
}

void KeptCard::showEvent(QShowEvent *event)
{
    Card::showEvent(event);
    if (m_stale)
        readBlocks();
}

void KeptCard::readBlocks()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_blocks = m_document.keptBlocks(m_analysis.shown());
    showLayer();
}

QString KeptCard::emptyText() const
{
    const int layer = m_selection.layer();
    if (m_analysis.shown().isEmpty())
        return tr("Choose a point on Explore: what its step keeps for the backward is listed here.");
    if (!m_analysis.recording())
        return tr("No step of this strategy was recorded yet: measure it, and what it keeps for the backward is listed "
                  "here.");
    return layer < 0 ? tr("This step keeps nothing of its blocks: all is rebuilt in the backward.")
                     : tr("Layer %1 makes nothing that is kept: its backward starts from what is rebuilt.").arg(layer);
}

void KeptCard::showLayer()
{
    if (m_stale)
        return;
    const int layer = m_selection.layer();
    m_model->setBlocks(m_blocks, m_analysis.shape(), layer);
    const bool any = m_model->rowCount() > 0;
    setTitle(layer < 0 ? tr("Kept for the backward · all layers") : tr("Kept for the backward · layer %1").arg(layer));
    const QString bytes = bytesText(m_model->total());
    m_sum->setText(
        !any ? QString()
            : m_model->blocks() == 1
            ? tr("1 block, %1, alive when the loss begins").arg(bytes)
            : tr("%1 blocks, %2 together, alive when the loss begins").arg(countText(m_model->blocks()), bytes));
    m_table->setVisible(any);
    m_empty->setVisible(!any);
    m_empty->setText(any ? QString() : emptyText());
}

QString KeptCard::tableText() const
{
    return tableAsText(*m_proxy);
}

} // namespace remat::ui
