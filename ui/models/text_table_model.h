// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QAbstractTableModel>

namespace remat::ui {

/// A table of ready words, with a number to sort by behind those that say one. GUI thread.
class TextTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    static constexpr int SortRole = Qt::UserRole;

    struct Column
    {
        QString title;
        bool isNumber = false; // right-aligned, sorted by number
    };
    /// One for each column; those past the end of a list are empty.
    struct Row
    {
        std::vector<QString> texts;
        std::vector<QString> toolTips;
        std::vector<double> numbers;
    };

    explicit TextTableModel(std::vector<Column> columns, QObject *parent = nullptr);

    void setRows(std::vector<Row> rows);
    /// The same rows with other words: what is chosen stays chosen.
    void changeRows(std::vector<Row> rows);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Column> m_columns;
    std::vector<Row> m_rows;
};

} // namespace remat::ui
