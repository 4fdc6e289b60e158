// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/form_grid.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

namespace {

class WheelGuard final : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel || static_cast<QWidget *>(watched)->hasFocus())
            return false;
        event->ignore(); // the page behind gets it
        return true;
    }
};

} // namespace

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

void leaveWheelToPage(QWidget &editor)
{
    editor.setFocusPolicy(Qt::StrongFocus); // not by the wheel, which is the default of spin boxes
    editor.installEventFilter(new WheelGuard(&editor));
}

} // namespace remat::ui
