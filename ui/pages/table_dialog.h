// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>

#include <QDialog>

class QAbstractItemModel;
class QPushButton;
class QTableView;
class QVBoxLayout;

namespace remat::ui {

/// A window beside the setup that answers in tables, which can be copied. It asks when it is shown; what it asks about
/// may change while it is open. GUI thread.
class TableDialog : public QDialog
{
    Q_OBJECT
public:
    explicit TableDialog(const QString &title, QWidget *parent = nullptr);

    /// All that is told as tab-separated text, rows in the order shown.
    [[nodiscard]] virtual QString tableText() const = 0;

protected:
    virtual void ask() = 0;
    /// Cards stand in it, above the buttons.
    [[nodiscard]] QVBoxLayout *body() const { return m_body; }
    /// A table over a TextTableModel that sorts by its numbers; `wide` columns share the room that the others leave.
    [[nodiscard]] QTableView *makeTable(QAbstractItemModel &rows, const QString &name, std::initializer_list<int> wide);
    /// The keyboard reaches the buttons after everything in the body, of which this is the last.
    void putButtonsAfter(QWidget &last);
    void showEvent(QShowEvent *event) override;

private:
    void copy();

    QVBoxLayout *m_body = nullptr;
    QPushButton *m_copy = nullptr;
    QPushButton *m_close = nullptr;
};

} // namespace remat::ui
