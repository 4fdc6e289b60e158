// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/analysis.h"
#include "widgets/card.h"

class QLabel;
class QPushButton;

namespace remat::ui {

class NumberTile;
class StackedBar;

/// What the shown point means: its name and how far it can be trusted, one number, three more, what is alive at the
/// peak, and what is worth knowing. GUI thread.
class PointPanel : public Card
{
    Q_OBJECT
public:
    PointPanel(Analysis &analysis, Selection &selection, QWidget *parent = nullptr);

    void setCanMeasure(bool can);
    void refresh();
    [[nodiscard]] QString trustText() const;
    [[nodiscard]] QString number() const;
    [[nodiscard]] QString adviceText() const;

Q_SIGNALS:
    void measureRequested(const QString &strategy);
    void strategyRequested(const QString &strategy);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void setupLayout();
    void fitTrust();
    void showMeasured(const core::Point &point, const CurveMark &mark);
    void showUnmeasured(const CurveMark *mark);
    void showAdvice();
    void showPeak(bool measured);
    [[nodiscard]] QString predictionText(const core::Point &point) const;

    Analysis &m_analysis;
    Selection &m_selection;
    QLabel *m_trust = nullptr;
    NumberTile *m_big = nullptr;
    NumberTile *m_against = nullptr;
    NumberTile *m_time = nullptr;
    NumberTile *m_repeated = nullptr;
    QWidget *m_peakBox = nullptr;
    QLabel *m_peakTitle = nullptr;
    StackedBar *m_bar = nullptr;
    QLabel *m_adviceTitle = nullptr;
    QLabel *m_advice = nullptr;
    QPushButton *m_button = nullptr;
    QString m_trustText;
    QString m_buttonStrategy;
    bool m_buttonMeasures = false;
    bool m_canMeasure = false;
};

} // namespace remat::ui
