// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include <QWidget>

#include "model/stage.h"
#include "models/budget_line.h"
#include "models/handle_keys.h"
#include "models/layer_treatment.h"
#include "models/selection.h"

namespace remat::ui {

/// The layers of the model in a row, each as the chosen strategy treats it, with brackets under the groups and the second
/// handle. The handle ends the first group: dragging it makes groups longer or shorter. Plans for a budget form no groups,
/// so there is no handle then, only its keys. Same signals as the curve.
/// GUI thread.
class LayerStrip : public QWidget
{
    Q_OBJECT
public:
    /// The schedule of a strategy, empty where it is not known.
    using ScheduleOf = std::function<std::optional<core::Schedule>(const QString &strategy)>;

    explicit LayerStrip(ScheduleOf scheduleOf, QWidget *parent = nullptr);

    void setShape(const core::ChainShape &shape);
    void setMode(HandleMode mode);
    void setStrategy(const QString &strategy);
    void setSelectedLayer(int layer);
    [[nodiscard]] QPointF handlePosition() const;
    [[nodiscard]] QRectF cellOfLayer(int layer) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void previewed(const QString &strategy);
    void dropped(const QString &strategy, bool byKey);
    void measureRequested(const QString &strategy);
    void layerPicked(int layer);
    /// A key for the budget line, whose strategies the strip does not know.
    void budgetKeyPressed(remat::ui::BudgetKey key);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] double pitch() const;
    [[nodiscard]] double edgeWidth() const;
    [[nodiscard]] QString stopAt(double x) const;
    [[nodiscard]] int value() const;
    [[nodiscard]] QString handleLabel() const;
    bool handleKeyPressed(int key);
    void paintCells(QPainter &painter) const;
    void paintCell(QPainter &painter, const QRectF &box, const QString &text, int kind) const;
    void paintBrackets(QPainter &painter) const;

    core::ChainShape m_shape; // m_layers of it
    int m_layers = 0;
    HandleMode m_mode = HandleMode::segments;
    QString m_strategy;
    QString m_beforeDrag;
    ScheduleOf m_scheduleOf;
    LayerTreatment m_treatment;
    DigitEntry m_digits;
    int m_selected = -1;
    bool m_dragging = false;
};

} // namespace remat::ui
