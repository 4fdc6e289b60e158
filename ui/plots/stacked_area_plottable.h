// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include <qcustomplot.h>

#include "models/stack_data.h"
#include "theme/theme.h"

namespace remat::ui {

/// A stack of series painted one device column at a time: per column the state with the largest total is found in the
/// pyramid and its composition written into an image, so a frame costs the same for a thousand or a million events and
/// no zoom level loses the peak. Vector output gets one bar a column. Owned by its plot; the data is shared.
class StackedAreaPlottable : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    StackedAreaPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis);

    void setStack(std::shared_ptr<const StackData> data);
    [[nodiscard]] const std::shared_ptr<const StackData> &stack() const { return m_data; }
    /// Keys are event numbers instead of nanoseconds.
    void setOverEvents(bool overEvents) { m_overEvents = overEvents; }
    void setStyles(std::vector<FillStyle> styles);
    /// Series that stands out; the others fade. -1: none.
    void setHighlighted(int layer) { m_highlighted = layer; }

    [[nodiscard]] std::size_t stateAtKey(double key) const;
    [[nodiscard]] double keyOfState(std::size_t state) const;
    [[nodiscard]] double lastKey() const;
    /// The series under a height at a state, -1 for none.
    [[nodiscard]] int seriesAt(std::size_t state, double value) const;

    /// The layer of the band under a pixel, -1 outside the blocks; nothing where there is no band of a layer.
    [[nodiscard]] std::optional<int> layerAt(QPointF pixel) const;

    double selectTest(const QPointF &pos, bool onlySelectable, QVariant *details = nullptr) const override;
    QCPRange getKeyRange(bool &foundRange, QCP::SignDomain inSignDomain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool &foundRange, QCP::SignDomain inSignDomain = QCP::sdBoth,
                           const QCPRange &inKeyRange = QCPRange()) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override;

private:
    [[nodiscard]] std::vector<std::size_t> columnStates(int columns) const;
    void drawImage(QCPPainter *painter, const QRect &area);
    void drawBars(QCPPainter *painter, const QRect &area);

    std::shared_ptr<const StackData> m_data;
    std::vector<FillStyle> m_styles;
    bool m_overEvents = false;
    int m_highlighted = -1;
};

} // namespace remat::ui
