// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "models/published_model.h"
#include "models/session_document.h"
#include "models/setup_model.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace remat::ui {

/// What published formulas and claims say of the setup, beside what is measured or predicted. Follows the setup while it
/// is open; the table can be copied. GUI thread.
class PublishedDialog : public QDialog
{
    Q_OBJECT
public:
    PublishedDialog(SetupModel &setup, const SessionDocument &document, QWidget *parent = nullptr);

    [[nodiscard]] PublishedModel *model() const { return m_model; }
    /// All rows as tab-separated text, in the order shown.
    [[nodiscard]] QString tableText() const;

protected:
    void showEvent(QShowEvent *event) override;

private:
    void setupTable();
    void ask();
    void refresh();
    void copy();

    SetupModel &m_setup;
    const SessionDocument &m_document;
    PublishedModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    QLabel *m_about = nullptr;
    QLabel *m_problem = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace remat::ui
