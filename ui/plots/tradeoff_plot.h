// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QWidget>

#include "models/curve_data.h"
#include "models/handle_keys.h"

class QCustomPlot;
class QKeyEvent;
class QPainter;

namespace remat::ui {

/// Memory against step time: measured marks with their spread, predicted marks and line of the current mode, and the
/// handle. The handle snaps to marks; while it moves only its own layer is repainted. It reports and never decides:
/// whoever listens sets the chosen strategy. GUI thread.
class TradeoffPlot : public QWidget
{
    Q_OBJECT
public:
    explicit TradeoffPlot(QWidget *parent = nullptr);
    ~TradeoffPlot() override;

    void setCurve(const CurveData &curve);
    [[nodiscard]] const CurveData &curve() const { return m_curve; }
    void setMode(HandleMode mode);
    void setChosen(const QString &strategy);
    [[nodiscard]] const QString &chosen() const { return m_chosen; }
    void setAxis(MemoryAxis axis);

    /// Where a mark stands, in coordinates of this widget; null point where it is not drawn.
    [[nodiscard]] QPointF markPosition(const QString &strategy) const;
    [[nodiscard]] QPixmap picture() const;
    /// The marks as tab-separated text with a header line.
    [[nodiscard]] QString table() const;
    /// Repaints what moves with the handle, nothing else.
    void repaintOverlay();
    void fit();

Q_SIGNALS:
    /// The handle is over a strategy, still held.
    void previewed(const QString &strategy);
    /// The handle was let go, a mark was clicked, or a key moved the handle (`byKey`).
    void dropped(const QString &strategy, bool byKey);
    /// Enter: measure what is chosen.
    void measureRequested(const QString &strategy);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setupPlot();
    void restyle();
    void paintCurve(QPainter &painter);
    void paintHandle(QPainter &painter);
    void updateDescription();
    [[nodiscard]] const CurveMark *markNear(QPointF position, bool onlyStops, double reach) const;
    [[nodiscard]] QPointF pixelOf(const CurveMark &mark) const;
    [[nodiscard]] bool onHandle(QPointF position) const;
    bool pressed(QPointF position);
    void moved(QPointF position);
    void released();
    bool keyPressed(QKeyEvent &event);

    QCustomPlot *m_plot = nullptr;
    CurveData m_curve;
    QString m_chosen;
    QString m_beforeDrag;
    HandleMode m_mode = HandleMode::segments;
    MemoryAxis m_axis = MemoryAxis::activations;
    DigitEntry m_digits;
    bool m_dragging = false;
    bool m_fitted = true; // the view follows new marks until the user moved it
};

} // namespace remat::ui
