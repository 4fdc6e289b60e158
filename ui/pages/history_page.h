// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/run_table_model.h"
#include "models/session_document.h"

class QSortFilterProxyModel;
class QTableView;

namespace remat::ui {

/// Every run of the session; Enter or a double click opens it in Explore. GUI thread.
class HistoryPage : public QWidget
{
    Q_OBJECT
public:
    explicit HistoryPage(SessionDocument &document, QWidget *parent = nullptr);
    [[nodiscard]] QTableView *table() const { return m_table; }
    [[nodiscard]] QString tableText() const;

Q_SIGNALS:
    void runChosen(qint64 workload, const QString &strategy);

private:
    SessionDocument &m_document;
    RunTableModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace remat::ui
