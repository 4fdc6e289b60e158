// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace remat::ui {

/// A row of a list with a predicted value at its right end: a hollow mark, as predictions have everywhere, and the value in
/// secondary text; in the colour of warnings where the row has a problem. GUI thread.
class ForecastDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    /// The roles of the value's text and of the problem.
    ForecastDelegate(int valueRole, int problemRole, QObject *parent = nullptr);
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    [[nodiscard]] int valueWidth(const QModelIndex &index) const;

    int m_valueRole = 0;
    int m_problemRole = 0;
};

} // namespace remat::ui
