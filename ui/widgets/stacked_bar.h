// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "models/step_story.h"

namespace remat::ui {

/// What is alive at one moment as one bar, the parts named below it where there is room. GUI thread.
class StackedBar : public QWidget
{
    Q_OBJECT
public:
    explicit StackedBar(QWidget *parent = nullptr);
    void setParts(std::vector<PeakSummary::Part> parts);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] std::vector<QRectF> boxes() const;

    std::vector<PeakSummary::Part> m_parts;
};

} // namespace remat::ui
