// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/analysis.h"

class QLabel;

namespace remat::ui {

class CurveCard;
class LayerStrip;
class PointPanel;
class TimelineCard;

/// The main page: curve, what the point means, layers and one step, all moving together. GUI thread.
class ExplorePage : public QWidget
{
    Q_OBJECT
public:
    ExplorePage(Analysis &analysis, Selection &selection, QWidget *parent = nullptr);

    [[nodiscard]] CurveCard *curveCard() const { return m_curve; }
    [[nodiscard]] PointPanel *panel() const { return m_panel; }
    [[nodiscard]] LayerStrip *strip() const { return m_strip; }
    [[nodiscard]] TimelineCard *timelineCard() const { return m_timeline; }

Q_SIGNALS:
    void dropped(const QString &strategy, bool byKey);
    void measureRequested(const QString &strategy);

private:
    void setupLayout(Analysis &analysis, Selection &selection);
    void setupConnections(Analysis &analysis, Selection &selection);

    CurveCard *m_curve = nullptr;
    PointPanel *m_panel = nullptr;
    LayerStrip *m_strip = nullptr;
    TimelineCard *m_timeline = nullptr;
};

} // namespace remat::ui
