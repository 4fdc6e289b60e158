// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/forecast_delegate.h"

#include <QPainter>

#include "theme/theme.h"

namespace remat::ui {

namespace {

constexpr int kMark = 8;
constexpr int kGap = 6;
constexpr int kMargin = 8;
constexpr int kCheckBox = 34; // with the paddings around it

} // namespace

ForecastDelegate::ForecastDelegate(int valueRole, int problemRole, QObject *parent)
    : QStyledItemDelegate(parent), m_valueRole(valueRole), m_problemRole(problemRole)
{
}

int ForecastDelegate::valueWidth(const QModelIndex &index) const
{
    const QString value = index.data(m_valueRole).toString();
    return value.isEmpty() ? 0
                           : QFontMetrics(themeFont(TextRole::small)).horizontalAdvance(value) + kMark + kGap + kMargin;
}

void ForecastDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const int room = option->rect.width() - valueWidth(index) - kCheckBox - kGap;
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideRight, room);
}

void ForecastDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QString value = index.data(m_valueRole).toString();
    if (value.isEmpty())
        return;
    const Theme &theme = Theme::of(option.palette);
    const bool problem = !index.data(m_problemRole).toString().isEmpty();
    const QRectF box(option.rect.right() - valueWidth(index), option.rect.top(), valueWidth(index) - kMargin,
                     option.rect.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(problem ? theme.warning : theme.secondary, 1.2));
    painter->setBrush(Qt::NoBrush);
    painter->drawEllipse(QRectF(box.left() + 0.5, box.center().y() - kMark / 2.0, kMark - 1, kMark - 1));
    painter->setFont(themeFont(TextRole::small));
    painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, value);
    painter->restore();
}

} // namespace remat::ui
