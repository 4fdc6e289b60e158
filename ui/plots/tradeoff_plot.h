// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QWidget>

#include "models/budget_line.h"
#include "models/handle_keys.h"

class QCustomPlot;
class QKeyEvent;
class QPainter;

namespace remat::ui {

struct HandlePainter;

/// Memory against step time: measured marks with their spread, predicted marks and line of the current mode, the planner's
/// line, and the handle. The handle snaps to marks, a budget line to plans; while it moves only its own layer is repainted.
/// It reports and never decides: whoever listens sets the chosen strategy. GUI thread.
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
    /// Why there is no budget line; empty where it only has to be waited for.
    void setPlanProblem(const QString &text);
    [[nodiscard]] const BudgetLine &budgetLine() const { return m_line; }
    /// The height of the budget line in coordinates of this widget.
    [[nodiscard]] int budgetLinePosition() const;
    /// A key of the budget line, from here or from the strip of layers.
    void pressBudgetKey(BudgetKey key);
    /// What the overlay says of the budget line, for a screen reader.
    [[nodiscard]] QString budgetSentence() const;

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
    [[nodiscard]] HandlePainter handlePainter() const;
    [[nodiscard]] QString noLineText() const;
    void standLine();
    void updateDescription();
    [[nodiscard]] const CurveMark *markNear(QPointF position, bool onlyStops, double reach) const;
    [[nodiscard]] QPointF pixelOf(const CurveMark &mark) const;
    [[nodiscard]] bool onHandle(QPointF position) const;
    [[nodiscard]] bool onLine(QPointF position) const;
    bool pressed(QPointF position);
    void hovered(QPointF position);
    void moved(QPointF position);
    void dragLine(QPointF position);
    void released();
    bool keyPressed(QKeyEvent &event);
    bool lineKeyPressed(const QKeyEvent &event);
    bool valueKeyPressed(const QKeyEvent &event);

    QCustomPlot *m_plot = nullptr;
    CurveData m_curve;
    BudgetLine m_line;
    QString m_planProblem;
    QString m_chosen;
    QString m_beforeDrag;
    QString m_clicked; // the mark on which the line was taken, as long as it was not moved
    HandleMode m_mode = HandleMode::segments;
    MemoryAxis m_axis = MemoryAxis::activations;
    DigitEntry m_digits;
    bool m_dragging = false;
    bool m_draggingLine = false;
    double m_grip = 0.0;  // from the pointer to the line while it is held
    bool m_fitted = true; // the view follows new marks until the user moved it
};

} // namespace remat::ui
