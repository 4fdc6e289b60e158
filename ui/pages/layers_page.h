// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/analysis.h"
#include "models/layer_table_model.h"

class QSortFilterProxyModel;
class QTableView;

namespace remat::ui {

class Card;
class KeptCard;

/// The layers as a table: what each costs in the shown strategy, and below it what it keeps for the backward. The
/// selected row is the selected layer everywhere.
/// GUI thread.
class LayersPage : public QWidget
{
    Q_OBJECT
public:
    LayersPage(SessionDocument &document, Analysis &analysis, Selection &selection, QWidget *parent = nullptr);
    [[nodiscard]] QTableView *table() const { return m_table; }
    [[nodiscard]] KeptCard *kept() const { return m_kept; }
    /// Of the table that has the keyboard, else of the layers.
    [[nodiscard]] QString tableText() const;

private:
    void setupTable();
    void refresh();

    SessionDocument &m_document;
    Analysis &m_analysis;
    Selection &m_selection;
    Card *m_card = nullptr;
    KeptCard *m_kept = nullptr;
    LayerTableModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace remat::ui
