// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace remat::ui {

/// Table cells with a faint bar behind the number: the share that BarRole gives. GUI thread.
class BarDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    BarDelegate(int barRole, QObject *parent = nullptr);
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    int m_barRole;
};

} // namespace remat::ui
