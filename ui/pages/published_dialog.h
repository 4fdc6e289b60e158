// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/published_model.h"
#include "models/session_document.h"
#include "models/setup_model.h"
#include "pages/table_dialog.h"

class QLabel;
class QTableView;

namespace remat::ui {

/// What published formulas and claims say of the setup, beside what is measured or predicted. Follows the setup while it
/// is open; the table can be copied. GUI thread.
class PublishedDialog : public TableDialog
{
    Q_OBJECT
public:
    PublishedDialog(SetupModel &setup, const SessionDocument &document, QWidget *parent = nullptr);

    [[nodiscard]] PublishedModel *model() const { return m_model; }
    [[nodiscard]] QString tableText() const override;

protected:
    void ask() override;

private:
    void refresh();

    SetupModel &m_setup;
    const SessionDocument &m_document;
    PublishedModel *m_model = nullptr;
    QLabel *m_about = nullptr;
    QLabel *m_problem = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace remat::ui
