// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/timeline_page.h"

#include <QHBoxLayout>

#include "models/text.h"
#include "pages/timeline_card.h"
#include "widgets/composition_list.h"

namespace remat::ui {

TimelinePage::TimelinePage(Analysis &analysis, Selection &selection, QWidget *parent)
    : QWidget(parent), m_analysis(analysis), m_selection(selection)
{
    setObjectName(QStringLiteral("page"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 16, 16);
    row->setSpacing(12);
    m_card = new TimelineCard(analysis, selection, this);
    m_list = new CompositionList(this);
    row->addWidget(m_card, 1);
    row->addWidget(m_list);
    connect(&analysis, &Analysis::shownChanged, this, &TimelinePage::showDetails);
    connect(&selection, &Selection::cursorChanged, this, &TimelinePage::showDetails);
    showDetails();
}

void TimelinePage::showDetails()
{
    const auto stack = m_analysis.stack(false);
    m_card->setTitle(m_analysis.shown().isEmpty() ? tr("One step, byte by byte")
                                                  : tr("%1, byte by byte").arg(strategyTitle(m_analysis.shown())));
    m_list->setVisible(stack != nullptr);
    if (!stack)
        return;
    const bool cursor = m_selection.cursor() >= 0;
    const std::size_t state = cursor ? stack->stateAt(m_selection.cursor()) : stack->peak();
    const QString place = durationText(stack->nsOf(state)) + QStringLiteral(" · ")
        + stateText(*m_analysis.recording(), state, m_analysis.shape());
    m_list->showState(cursor ? tr("At the cursor") : tr("At the peak"), place, stack.get(), state);
}

} // namespace remat::ui
