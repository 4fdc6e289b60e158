// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/explore_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "pages/curve_card.h"
#include "pages/point_panel.h"
#include "pages/timeline_card.h"
#include "plots/tradeoff_plot.h"
#include "widgets/layer_strip.h"

namespace remat::ui {

ExplorePage::ExplorePage(Analysis &analysis, Selection &selection, QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("page"));
    setupLayout(analysis, selection);
    setupConnections(analysis, selection);
}

void ExplorePage::setupLayout(Analysis &analysis, Selection &selection)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    auto *top = new QHBoxLayout;
    top->setSpacing(12);
    m_curve = new CurveCard(analysis, selection, this);
    m_panel = new PointPanel(analysis, selection, this);
    top->addWidget(m_curve, 68);
    top->addWidget(m_panel, 32);
    column->addLayout(top, 53);

    auto *layers = new Card(tr("Layers"), this);
    layers->layout()->setContentsMargins(16, 9, 16, 8);
    layers->header()->addWidget(makeLabel(
        tr("dark: input kept as checkpoint · outlined: rebuilt in the backward · light: keeps its activations · "
           "striped: rebuilt in part"),
        true, "secondary"));
    layers->header()->addStretch(1);
    m_strip = new LayerStrip([&analysis](const QString &strategy) { return analysis.schedule(strategy); }, layers);
    layers->body()->addWidget(m_strip);
    column->addWidget(layers);

    m_timeline = new TimelineCard(analysis, selection, this);
    column->addWidget(m_timeline, 47);
}

void ExplorePage::setupConnections(Analysis &analysis, Selection &selection)
{
    connect(m_curve, &CurveCard::dropped, this, &ExplorePage::dropped);
    connect(m_curve, &CurveCard::measureRequested, this, &ExplorePage::measureRequested);
    connect(m_panel, &PointPanel::measureRequested, this, &ExplorePage::measureRequested);
    connect(m_panel, &PointPanel::strategyRequested, this,
            [this](const QString &strategy) { Q_EMIT dropped(strategy, false); });
    connect(m_strip, &LayerStrip::previewed, &selection, &Selection::preview);
    connect(m_strip, &LayerStrip::dropped, this, &ExplorePage::dropped);
    connect(m_strip, &LayerStrip::measureRequested, this, &ExplorePage::measureRequested);
    connect(m_strip, &LayerStrip::budgetKeyPressed, m_curve->plot(), &TradeoffPlot::pressBudgetKey);
    connect(m_strip, &LayerStrip::layerPicked, &selection, &Selection::setLayer);
    connect(&selection, &Selection::layerChanged, m_strip, &LayerStrip::setSelectedLayer);
    connect(&selection, &Selection::modeChanged, m_strip, [this, &selection] { m_strip->setMode(selection.mode()); });
    connect(&selection, &Selection::strategyChanged, m_strip, &LayerStrip::setStrategy);
    connect(&selection, &Selection::strategyPreviewed, m_strip, &LayerStrip::setStrategy);
    connect(&analysis, &Analysis::curveChanged, m_strip, [this, &analysis] { m_strip->setShape(analysis.shape()); });
}

} // namespace remat::ui
