// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/form_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

QGridLayout *addFormGrid(QVBoxLayout &column)
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->setColumnMinimumWidth(0, 112);
    grid->setColumnMinimumWidth(2, 56);
    grid->setColumnStretch(2, 1);
    column.addLayout(grid);
    return grid;
}

QGridLayout *addFormGroup(QVBoxLayout &column, const QString &title)
{
    auto *heading = makeLabel(title, false);
    heading->setFont(themeFont(TextRole::strong));
    column.addWidget(heading);
    QGridLayout *grid = addFormGrid(column);
    return grid;
}

} // namespace remat::ui
