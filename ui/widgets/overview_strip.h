// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QWidget>

#include "models/stack_data.h"

namespace remat::ui {

/// The whole step in small with the visible range as a brush: drag its middle to move, its ends to resize, outside to
/// draw a new one. Keys: Left and Right move, + and - zoom, 0 shows all. GUI thread.
class OverviewStrip : public QWidget
{
    Q_OBJECT
public:
    explicit OverviewStrip(QWidget *parent = nullptr);

    void setStack(std::shared_ptr<const StackData> stack);
    void setView(double lower, double upper, double end, bool overEvents);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void rangeChosen(double lower, double upper);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    enum class Grip { none, left, middle, right };
    [[nodiscard]] QRectF track() const;
    [[nodiscard]] double xOf(double key) const;
    [[nodiscard]] double keyOf(double x) const;
    void choose(double lower, double upper);

    std::shared_ptr<const StackData> m_stack;
    double m_lower = 0, m_upper = 1, m_end = 1;
    double m_grabKey = 0, m_grabLower = 0, m_grabUpper = 0;
    Grip m_grip = Grip::none;
    bool m_overEvents = false;
};

} // namespace remat::ui
