// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/analysis.h"
#include "widgets/card.h"

namespace remat::ui {

class MarkLegend;
class SegmentedControl;
class TradeoffPlot;

/// The curve with its two switches: mode of the handle, and what the memory axis counts. GUI thread.
class CurveCard : public Card
{
    Q_OBJECT
public:
    CurveCard(Analysis &analysis, Selection &selection, QWidget *parent = nullptr);

    [[nodiscard]] TradeoffPlot *plot() const { return m_plot; }
    [[nodiscard]] const MarkLegend *legend() const { return m_legend; }

Q_SIGNALS:
    void dropped(const QString &strategy, bool byKey);
    void measureRequested(const QString &strategy);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void setupConnections();
    void showCurve();

    Analysis &m_analysis;
    Selection &m_selection;
    SegmentedControl *m_modes = nullptr;
    SegmentedControl *m_axes = nullptr;
    TradeoffPlot *m_plot = nullptr;
    MarkLegend *m_legend = nullptr;
    bool m_brief = false;
    int m_longWidth = 0; // of both switches with their long names
};

} // namespace remat::ui
