// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/analysis.h"

namespace remat::ui {

class CompositionList;
class TimelineCard;

/// The step in full height, and beside it what is alive at the cursor, or at the peak. GUI thread.
class TimelinePage : public QWidget
{
    Q_OBJECT
public:
    TimelinePage(Analysis &analysis, Selection &selection, QWidget *parent = nullptr);
    [[nodiscard]] TimelineCard *card() const { return m_card; }

private:
    void showDetails();

    Analysis &m_analysis;
    Selection &m_selection;
    TimelineCard *m_card = nullptr;
    CompositionList *m_list = nullptr;
};

} // namespace remat::ui
