// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/setup_model.h"
#include "widgets/card.h"

class QGridLayout;
class QTreeWidget;

namespace remat::ui {

/// The config in words: family, shape, parameters, and what the reader derived, defaulted, ignored. GUI thread.
class ConfigCard : public Card
{
    Q_OBJECT
public:
    explicit ConfigCard(SetupModel &model, QWidget *parent = nullptr);

Q_SIGNALS:
    void openWanted();

private:
    void refresh();

    SetupModel &m_model;
    QGridLayout *m_facts = nullptr;
    QTreeWidget *m_notes = nullptr;
};

} // namespace remat::ui
