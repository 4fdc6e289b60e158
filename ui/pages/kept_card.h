// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/analysis.h"
#include "widgets/card.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace remat::ui {

class KeptTableModel;

/// What the shown strategy's step kept for its backward: of the selected layer, or of all where none is. GUI thread.
class KeptCard : public Card
{
    Q_OBJECT
public:
    KeptCard(SessionDocument &document, Analysis &analysis, Selection &selection, QWidget *parent = nullptr);

    [[nodiscard]] QTableView *table() const { return m_table; }
    [[nodiscard]] QString tableText() const;
    /// What stands in place of an empty table.
    [[nodiscard]] QString emptyText() const;

protected:
    void showEvent(QShowEvent *event) override;

private:
    void setupTable();
    void readBlocks();
    void showLayer();

    SessionDocument &m_document;
    Analysis &m_analysis;
    Selection &m_selection;
    std::vector<core::KeptBlock> m_blocks;
    KeptTableModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_sum = nullptr;
    QLabel *m_empty = nullptr;
    bool m_stale = true; // read when it is looked at: a drag on another page passes many strategies
};

} // namespace remat::ui
