// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "models/stack_data.h"

namespace remat::ui {

/// Names of the bands of a stack with their fills; in as many rows as the width asks for. GUI thread.
class LegendRow : public QWidget
{
    Q_OBJECT
public:
    explicit LegendRow(QWidget *parent = nullptr);
    void setSeries(std::vector<StackSeries> series);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] std::vector<QPointF> places(double width) const;

    std::vector<StackSeries> m_series;
};

} // namespace remat::ui
