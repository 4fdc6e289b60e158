// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/curve_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "plots/tradeoff_plot.h"
#include "theme/theme.h"
#include "widgets/mark_legend.h"
#include "widgets/segmented_control.h"

namespace remat::ui {

namespace {

QStringList modeNames(bool brief)
{
    return brief
        ? QStringList{CurveCard::tr("every"), CurveCard::tr("segments"), CurveCard::tr("budget")}
        : QStringList{CurveCard::tr("every N"), CurveCard::tr("segments of K"), CurveCard::tr("plan for budget")};
}

} // namespace

CurveCard::CurveCard(Analysis &analysis, Selection &selection, QWidget *parent)
    : Card(tr("Memory against speed"), parent), m_analysis(analysis), m_selection(selection)
{
    m_axes = new SegmentedControl({tr("activations"), tr("everything")}, tr("What the memory axis counts"), this);
    m_modes = new SegmentedControl(modeNames(false), tr("What the handle sets"), this);
    m_plot = new TradeoffPlot(this);
    m_legend = new MarkLegend(this);
    header()->addWidget(m_legend, 1);
    header()->addWidget(m_axes);
    header()->addSpacing(2);
    header()->addWidget(m_modes);
    body()->addWidget(m_plot, 1);
    setupConnections();
    showCurve();
}

/// Short names where the long ones would be cut; the legend takes what is left.
void CurveCard::resizeEvent(QResizeEvent *event)
{
    Card::resizeEvent(event);
    if (!m_brief)
        m_longWidth = m_axes->sizeHint().width() + m_modes->sizeHint().width();
    const QMargins margins = layout()->contentsMargins();
    const int room = width() - margins.left() - margins.right() - 5 * header()->spacing()
        - QFontMetrics(themeFont(TextRole::title)).horizontalAdvance(title());
    if (m_brief == (m_longWidth > room))
        return;
    m_brief = !m_brief;
    m_modes->setTexts(modeNames(m_brief));
    for (SegmentedControl *control : {m_modes, m_axes})
        control->setTight(m_brief);
}

void CurveCard::setupConnections()
{
    connect(m_modes, &SegmentedControl::chosen, this,
            [this](int index) { m_selection.setMode(static_cast<HandleMode>(index)); });
    connect(m_axes, &SegmentedControl::chosen, this, [this](int index) {
        m_plot->setAxis(static_cast<MemoryAxis>(index));
        m_selection.setAxis(static_cast<MemoryAxis>(index));
    });
    const auto showMode = [this] {
        m_modes->setCurrent(static_cast<int>(m_selection.mode()));
        m_plot->setMode(m_selection.mode());
    };
    connect(&m_selection, &Selection::modeChanged, this, showMode);
    connect(&m_selection, &Selection::axisChanged, this,
            [this] { m_axes->setCurrent(static_cast<int>(m_selection.axis())); });
    connect(&m_selection, &Selection::strategyChanged, m_plot, &TradeoffPlot::setChosen);
    connect(&m_selection, &Selection::strategyPreviewed, this, [this](const QString &strategy) {
        if (m_plot->chosen() != strategy) {
            m_plot->setChosen(strategy);
            m_plot->repaintOverlay();
        }
    });
    connect(&m_analysis, &Analysis::curveChanged, this, &CurveCard::showCurve);
    connect(m_plot, &TradeoffPlot::previewed, &m_selection, &Selection::preview);
    connect(m_plot, &TradeoffPlot::dropped, this, &CurveCard::dropped);
    connect(m_plot, &TradeoffPlot::measureRequested, this, &CurveCard::measureRequested);
    showMode();
}

void CurveCard::showCurve()
{
    const PlanDesk &plans = m_analysis.plans();
    m_plot->setPlanProblem(plans.problem().isEmpty() && plans.busy() ? tr("Planning…") : plans.problem());
    m_plot->setCurve(m_analysis.curve());
    m_legend->setCurve(m_analysis.curve());
}

} // namespace remat::ui
