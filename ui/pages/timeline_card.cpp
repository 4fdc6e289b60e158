// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/timeline_card.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "plots/memory_timeline_plot.h"
#include "theme/theme.h"
#include "widgets/icons.h"
#include "widgets/legend_row.h"
#include "widgets/overview_strip.h"
#include "widgets/phase_strip.h"

namespace remat::ui {

TimelineCard::TimelineCard(Analysis &analysis, Selection &selection, QWidget *parent)
    : Card(tr("One step, byte by byte"), parent), m_analysis(analysis), m_selection(selection)
{
    setupHeader();
    setupBody();
    setupConnections();
    showStep();
}

QToolButton *TimelineCard::menuButton(const QStringList &choices, const QString &name, std::function<void(int)> chosen)
{
    auto *button = new QToolButton(this);
    setRole(button, "quiet");
    button->setFont(themeFont(TextRole::small));
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setLayoutDirection(Qt::RightToLeft);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({10, 10});
    setIconName(*button, "chevron-down");
    auto *menu = new QMenu(button);
    menu->setLayoutDirection(Qt::LeftToRight);
    for (int i = 0; i < choices.size(); ++i)
        connect(menu->addAction(choices[i]), &QAction::triggered, this, [chosen, i] { chosen(i); });
    button->setMenu(menu);
    button->setText(choices.first());
    return button;
}

void TimelineCard::setupHeader()
{
    m_legend = new LegendRow(this);
    m_bands = menuButton({tr("by category"), tr("by layer")}, tr("Bands of the stack"),
                         [this](int i) { setByLayer(i == 1); });
    m_over = menuButton({tr("over time"), tr("over events")}, tr("Horizontal axis"),
                        [this](int i) { setOverEvents(i == 1); });
    m_peak = new QToolButton(this);
    setRole(m_peak, "quiet");
    m_peak->setFont(themeFont(TextRole::small));
    m_peak->setText(tr("peak  P"));
    m_peak->setToolTip(tr("Go to the peak"));
    m_peak->setAccessibleName(tr("Go to the peak"));
    header()->addSpacing(12);
    header()->addWidget(m_legend, 1);
    for (QToolButton *button : {m_bands, m_over, m_peak})
        header()->addWidget(button);
}

void TimelineCard::setupBody()
{
    m_pages = new QStackedWidget(this);
    auto *step = new QWidget(this);
    auto *column = new QVBoxLayout(step);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_plot = new MemoryTimelinePlot(step);
    m_phases = new PhaseStrip(step);
    m_overview = new OverviewStrip(step);
    column->addWidget(m_plot, 1);
    column->addWidget(m_phases);
    column->addWidget(m_overview);
    m_empty = makeLabel({}, false, "secondary");
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_pages->addWidget(step);
    m_pages->addWidget(m_empty);
    body()->addWidget(m_pages, 1);
}

void TimelineCard::setupConnections()
{
    connect(&m_analysis, &Analysis::shownChanged, this, &TimelineCard::showStep);
    connect(m_peak, &QToolButton::clicked, m_plot, &MemoryTimelinePlot::goToPeak);
    connect(m_plot, &MemoryTimelinePlot::rangeChanged, this, &TimelineCard::showRange);
    connect(m_plot, &MemoryTimelinePlot::cursorMoved, &m_selection, &Selection::setCursor);
    connect(m_plot, &MemoryTimelinePlot::layerPicked, &m_selection, &Selection::setLayer);
    connect(&m_selection, &Selection::cursorChanged, m_plot, &MemoryTimelinePlot::setTimeCursor);
    connect(&m_selection, &Selection::layerChanged, m_plot, &MemoryTimelinePlot::setHighlightedLayer);
    connect(m_overview, &OverviewStrip::rangeChosen, m_plot, &MemoryTimelinePlot::setVisibleRange);
}

bool TimelineCard::showsStep() const
{
    return m_pages->currentIndex() == 0;
}

void TimelineCard::setByLayer(bool byLayer)
{
    m_byLayer = byLayer;
    m_bands->setText(byLayer ? tr("by layer") : tr("by category"));
    showStep();
}

void TimelineCard::setOverEvents(bool overEvents)
{
    m_overEvents = overEvents;
    m_over->setText(overEvents ? tr("over events") : tr("over time"));
    m_plot->setOverEvents(overEvents);
    showRange();
}

void TimelineCard::showStep()
{
    const auto stack = m_analysis.stack(m_byLayer);
    m_pages->setCurrentIndex(stack ? 0 : 1);
    for (QToolButton *button : {m_bands, m_over, m_peak})
        button->setVisible(stack != nullptr);
    m_legend->setVisible(stack != nullptr);
    if (!stack) {
        const core::Point *point = m_analysis.point();
        m_empty->setText(point && point->status == core::RunStatus::running
                             ? tr("%1 is being measured; its step appears here when it is recorded.")
                                   .arg(strategyTitle(m_analysis.shown()))
                             : m_analysis.shown().isEmpty()
                             ? tr("The timeline of a step appears here after the first measurement.")
                             : tr("%1 was not recorded yet. Press Enter on the handle to measure it.")
                                   .arg(strategyTitle(m_analysis.shown())));
        m_plot->setStep(nullptr, nullptr, 0);
        return;
    }
    std::vector<StackSeries> legend;
    if (!m_byLayer) {
        for (const int series : stack->usedSeries())
            legend.push_back(stack->series()[static_cast<std::size_t>(series)]);
    }
    m_legend->setSeries(std::move(legend));
    m_plot->setStep(stack, m_analysis.recording(), m_analysis.shape());
    const auto &peak = m_analysis.peak();
    m_plot->setPeakText(peak && !peak->where.isEmpty() ? tr("peak · %1").arg(peak->where) : tr("peak"));
    m_phases->setStack(stack);
    m_overview->setStack(stack);
    showRange();
}

void TimelineCard::showRange()
{
    m_phases->setView(m_plot->lower(), m_plot->upper(), m_overEvents);
    m_overview->setView(m_plot->lower(), m_plot->upper(), m_plot->end(), m_overEvents);
}

} // namespace remat::ui
