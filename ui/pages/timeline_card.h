// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "models/analysis.h"
#include "widgets/card.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace remat::ui {

class LegendRow;
class MemoryTimelinePlot;
class OverviewStrip;
class PhaseStrip;

/// One step, byte by byte: stack, phase strip and overview on one time axis, with the choice of bands and axis. Stands
/// on Explore and, larger, on Timeline. GUI thread.
class TimelineCard : public Card
{
    Q_OBJECT
public:
    TimelineCard(Analysis &analysis, Selection &selection, QWidget *parent = nullptr);

    [[nodiscard]] MemoryTimelinePlot *plot() const { return m_plot; }
    [[nodiscard]] bool showsStep() const;
    void setByLayer(bool byLayer);
    void setOverEvents(bool overEvents);

private:
    void setupHeader();
    void setupBody();
    void setupConnections();
    void showStep();
    void showRange();
    [[nodiscard]] QToolButton *menuButton(const QStringList &choices, const QString &name,
                                          std::function<void(int)> chosen);

    Analysis &m_analysis;
    Selection &m_selection;
    LegendRow *m_legend = nullptr;
    QToolButton *m_bands = nullptr;
    QToolButton *m_over = nullptr;
    QToolButton *m_peak = nullptr;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    MemoryTimelinePlot *m_plot = nullptr;
    PhaseStrip *m_phases = nullptr;
    OverviewStrip *m_overview = nullptr;
    bool m_byLayer = false;
    bool m_overEvents = false;
};

} // namespace remat::ui
