// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/layers_page.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "models/text.h"
#include "pages/kept_card.h"
#include "widgets/bar_delegate.h"
#include "widgets/card.h"
#include "widgets/tables.h"

namespace remat::ui {

LayersPage::LayersPage(SessionDocument &document, Analysis &analysis, Selection &selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_analysis(analysis), m_selection(selection)
{
    setObjectName(QStringLiteral("page"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    m_card = new Card(tr("Layers"), this);
    column->setSpacing(12);
    column->addWidget(m_card, 58);
    setupTable();
    m_kept = new KeptCard(document, analysis, selection, this);
    column->addWidget(m_kept, 42);
    connect(&analysis, &Analysis::shownChanged, this, &LayersPage::refresh);
    connect(&selection, &Selection::layerChanged, this, [this](int layer) {
        const int row = m_model->rowOfLayer(layer);
        const QSignalBlocker blocker(m_table->selectionModel());
        if (row < 0)
            m_table->clearSelection();
        else
            m_table->selectRow(m_proxy->mapFromSource(m_model->index(row, 0)).row());
        m_table->viewport()->update();
    });
    refresh();
}

void LayersPage::setupTable()
{
    m_model = new LayerTableModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(LayerTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_proxy);
    m_table->setItemDelegate(new BarDelegate(LayerTableModel::BarRole, m_table));
    m_table->setAccessibleName(tr("Layers"));
    dressTable(*m_table);
    m_table->sortByColumn(LayerTableModel::Name, Qt::AscendingOrder);
    m_card->body()->addWidget(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &row) {
        if (row.isValid())
            m_selection.setLayer(row.data(LayerTableModel::LayerRole).toInt());
    });
}

void LayersPage::refresh()
{
    const auto *workload = m_document.current();
    m_card->setTitle(m_analysis.shown().isEmpty() ? tr("Layers")
                                                  : tr("Layers · %1").arg(strategyTitle(m_analysis.shown())));
    const auto schedule = m_analysis.schedule(m_analysis.shown());
    m_model->setRows(workload ? layerRows(workload->model, schedule ? &*schedule : nullptr,
                                          m_analysis.recording().get(), m_selection.axis(), workload->workload)
                              : std::vector<LayerRow>());
}

QString LayersPage::tableText() const
{
    return m_kept->table()->hasFocus() ? m_kept->tableText() : tableAsText(*m_proxy);
}

} // namespace remat::ui
