// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/tables.h"

#include <QAbstractItemModel>
#include <QHeaderView>
#include <QTableView>

#include "theme/theme.h"

namespace remat::ui {

void dressTable(QTableView &table)
{
    table.setShowGrid(false);
    table.setSortingEnabled(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(QFontMetrics(themeFont(TextRole::body)).height() + 13);
    table.horizontalHeader()->setFont(themeFont(TextRole::small));
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table.horizontalHeader()->setMinimumSectionSize(60);
}

QString tableAsText(const QAbstractItemModel &model)
{
    QString text;
    for (int row = -1; row < model.rowCount(); ++row) {
        for (int column = 0; column < model.columnCount(); ++column) {
            text += column > 0 ? QStringLiteral("\t") : QString();
            text += row < 0 ? model.headerData(column, Qt::Horizontal).toString()
                            : model.index(row, column).data().toString();
        }
        text += QLatin1Char('\n');
    }
    return text;
}

} // namespace remat::ui
