// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QWidget>

#include "models/selection.h"
#include "models/stack_data.h"

class QCustomPlot;
class QKeyEvent;
class QPainter;

namespace remat::ui {

class StackedAreaPlottable;

/// One recorded step as a stack of held bytes, over time or over events. Wheel zooms around the cursor, drag pans, double
/// click fits; W S A D + - 0 P , . do the same by keyboard. Hovering or moving the cursor shows exact values. Phase strip
/// and overview follow by `rangeChanged`. GUI thread.
class MemoryTimelinePlot : public QWidget
{
    Q_OBJECT
public:
    explicit MemoryTimelinePlot(QWidget *parent = nullptr);
    ~MemoryTimelinePlot() override;

    /// Null shows nothing. The zoom stays where the step is the same.
    void setStep(std::shared_ptr<const StackData> stack, std::shared_ptr<const core::Recording> recording,
                 const core::ChainShape &shape);
    void setOverEvents(bool overEvents);
    void setPeakText(const QString &text);
    /// In nanoseconds; -1 hides the cursor.
    void setTimeCursor(core::Nanoseconds ns);
    void setHighlightedLayer(int layer);
    void setVisibleRange(double lower, double upper);

    [[nodiscard]] double lower() const;
    [[nodiscard]] double upper() const;
    [[nodiscard]] double end() const;
    [[nodiscard]] const std::shared_ptr<const StackData> &stack() const;
    [[nodiscard]] QString hoverText(std::size_t state) const;
    [[nodiscard]] QPixmap picture() const;
    /// One line an event, of what is visible, at most 5,000 lines.
    [[nodiscard]] QString table() const;

    void fit();
    void goToPeak();
    void repaintNow();

Q_SIGNALS:
    void rangeChanged();
    void cursorMoved(remat::core::Nanoseconds ns);
    void layerPicked(int layer);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void setupPlot();
    void restyle();
    void rescaleValues();
    void limitRange();
    void zoom(double factor, double around);
    void pan(double share);
    void stepCursor(int events);
    void showState(std::size_t state);
    void moveCursor(QPointF position);
    void paintOverlay(QPainter &painter);
    void updateDescription();

    QCustomPlot *m_plot = nullptr;
    StackedAreaPlottable *m_area = nullptr;
    std::shared_ptr<const core::Recording> m_recording;
    QString m_peakText;
    core::Nanoseconds m_cursor = -1;
    std::size_t m_cursorState = 0;
    QPointF m_press;
    core::ChainShape m_shape;
    bool m_overEvents = false;
    bool m_hovering = false;
};

} // namespace remat::ui
