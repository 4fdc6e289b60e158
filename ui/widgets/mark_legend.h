// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "models/curve_data.h"

namespace remat::ui {

/// What the marks of a curve are: the families that it has, and what filled and hollow mean. At most two rows; names
/// that do not fit are in the tool tip. GUI thread.
class MarkLegend : public QWidget
{
    Q_OBJECT
public:
    explicit MarkLegend(QWidget *parent = nullptr);
    void setCurve(const CurveData &curve);
    [[nodiscard]] QStringList names() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Entry
    {
        MarkFamily family = MarkFamily::other;
        bool hollow = false;
        QString name;
    };
    /// Where each entry stands; those past the second row are left out.
    [[nodiscard]] std::vector<QPointF> places() const;
    void fitHeight();

    std::vector<Entry> m_entries;
};

} // namespace remat::ui
