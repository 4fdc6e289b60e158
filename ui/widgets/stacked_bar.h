// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
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
    /// What parts are called where they stand for more than their category.
    void setNames(std::function<QString(core::Category)> names) { m_names = std::move(names); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] std::vector<QRectF> boxes() const;
    [[nodiscard]] QString nameOf(core::Category category, bool isShort) const;

    std::vector<PeakSummary::Part> m_parts;
    std::function<QString(core::Category)> m_names;
};

} // namespace remat::ui
