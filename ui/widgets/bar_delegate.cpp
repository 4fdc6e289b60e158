// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/bar_delegate.h"

#include <QPainter>

#include "theme/theme.h"

namespace remat::ui {

BarDelegate::BarDelegate(int barRole, QObject *parent) : QStyledItemDelegate(parent), m_barRole(barRole) { }

void BarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(m_barRole);
    if (!share.isValid() || share.toDouble() <= 0)
        return;
    const QRectF cell = QRectF(option.rect).adjusted(10, 4, -2, -4);
    QColor tint = Theme::of(option.palette).category(core::Category::savedActivation).edge;
    tint.setAlphaF(0.26F);
    const double width = cell.width() * share.toDouble();
    painter->fillRect(QRectF(cell.right() - width, cell.top(), width, cell.height()), tint);
}

} // namespace remat::ui
