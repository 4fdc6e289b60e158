// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QWidget>

#include "models/stack_data.h"

namespace remat::ui {

/// What the step was doing, under the time axis of a timeline and in line with it. GUI thread.
class PhaseStrip : public QWidget
{
    Q_OBJECT
public:
    explicit PhaseStrip(QWidget *parent = nullptr);

    void setStack(std::shared_ptr<const StackData> stack);
    /// The range of the plot above, in nanoseconds or states.
    void setView(double lower, double upper, bool overEvents);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Segment
    {
        QRectF box;
        const PhaseSpan *span = nullptr;
    };
    [[nodiscard]] std::vector<Segment> segments() const;
    void paintSums(QPainter &painter, const QRectF &row) const;

    std::shared_ptr<const StackData> m_stack;
    double m_lower = 0, m_upper = 1;
    bool m_overEvents = false;
};

} // namespace remat::ui
