// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/memory_timeline_plot.h"

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QVBoxLayout>

#include "models/stack_text.h"
#include "models/step_story.h"
#include "models/text.h"
#include "plots/plot_axes.h"
#include "plots/plot_frame.h"
#include "plots/stacked_area_plottable.h"
#include "theme/theme.h"

namespace remat::ui {

MemoryTimelinePlot::MemoryTimelinePlot(QWidget *parent) : QWidget(parent)
{
    setupPlot();
    restyle();
    setAccessibleName(tr("Memory over one step"));
}

MemoryTimelinePlot::~MemoryTimelinePlot() = default;

void MemoryTimelinePlot::setupPlot()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_plot = new QCustomPlot(this);
    layout->addWidget(m_plot);
    setFocusPolicy(Qt::StrongFocus);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMinimumHeight(90);
    m_plot->setMouseTracking(true);
    m_plot->setInteractions(QCP::iRangeDrag);
    m_plot->axisRect()->setRangeDrag(Qt::Horizontal);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->xAxis->setTicker(QSharedPointer<TimeTicker>::create(TimeTicker::Kind::nanoseconds));
    m_plot->yAxis->setTicker(QSharedPointer<BinaryTicker>::create());
    m_plot->yAxis->ticker()->setTickCount(4);
    m_plot->xAxis->grid()->setVisible(false);
    m_area = new StackedAreaPlottable(m_plot->xAxis, m_plot->yAxis);
    addOverlayLayer(*m_plot);
    new PaintedLayerable(m_plot, QLatin1String(kOverlayLayer), [this](QCPPainter &painter) { paintOverlay(painter); });
    m_plot->installEventFilter(this);
    connect(m_plot->xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this, [this] {
        limitRange();
        Q_EMIT rangeChanged();
    });
}

void MemoryTimelinePlot::restyle()
{
    const Theme &theme = Theme::of(palette());
    dressPlot(*m_plot, theme);
    std::vector<FillStyle> styles;
    if (m_area->stack()) {
        for (const StackSeries &series : m_area->stack()->series())
            styles.push_back(series.byLayer ? theme.layer(series.layer, series.recomputed)
                                            : theme.category(series.category));
    }
    m_area->setStyles(std::move(styles));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryTimelinePlot::setStep(std::shared_ptr<const StackData> stack,
                                 std::shared_ptr<const core::Recording> recording, const core::ChainShape &shape)
{
    const bool same = recording == m_recording && m_area->stack();
    m_area->setStack(std::move(stack));
    m_recording = std::move(recording);
    m_shape = shape;
    m_hovering = false;
    restyle();
    rescaleValues();
    if (!same)
        fit();
    setTimeCursor(m_cursor);
    updateDescription();
}

const std::shared_ptr<const StackData> &MemoryTimelinePlot::stack() const
{
    return m_area->stack();
}

void MemoryTimelinePlot::setOverEvents(bool overEvents)
{
    m_overEvents = overEvents;
    m_area->setOverEvents(overEvents);
    m_plot->xAxis->setTicker(
        QSharedPointer<TimeTicker>::create(overEvents ? TimeTicker::Kind::count : TimeTicker::Kind::nanoseconds));
    fit();
}

void MemoryTimelinePlot::setPeakText(const QString &text)
{
    m_peakText = text;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryTimelinePlot::setTimeCursor(core::Nanoseconds ns)
{
    m_cursor = ns;
    if (m_area->stack() && ns >= 0)
        m_cursorState = m_area->stack()->stateAt(ns);
    replotOverlay(*m_plot);
}

void MemoryTimelinePlot::setHighlightedLayer(int layer)
{
    m_area->setHighlighted(layer);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryTimelinePlot::rescaleValues()
{
    bool found = false;
    const QCPRange values = m_area->getValueRange(found);
    // Room above the stack for the label of the peak, in pixels whatever the height.
    const double height = std::max(60, m_plot->axisRect()->height());
    const double share = height / (height - std::min(26.0, height / 3));
    m_plot->yAxis->setRange(0, found && values.upper > 0 ? values.upper * share : 64.0 * 1024 * 1024);
}

double MemoryTimelinePlot::lower() const
{
    return m_plot->xAxis->range().lower;
}

double MemoryTimelinePlot::upper() const
{
    return m_plot->xAxis->range().upper;
}

double MemoryTimelinePlot::end() const
{
    return m_area->lastKey();
}

void MemoryTimelinePlot::setVisibleRange(double lower, double upper)
{
    m_plot->xAxis->setRange(lower, upper);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// The view stays within the step, and at least a few nanoseconds or events wide.
void MemoryTimelinePlot::limitRange()
{
    const double full = end();
    QCPRange range = m_plot->xAxis->range();
    const double width = std::clamp(range.size(), std::min(full, m_overEvents ? 8.0 : 500.0), full);
    double low = range.lower + (range.size() - width) / 2;
    low = std::clamp(low, 0.0, full - width);
    if (std::abs(low - range.lower) > 1e-9 * full || std::abs(low + width - range.upper) > 1e-9 * full) {
        const QSignalBlocker blocker(m_plot->xAxis);
        m_plot->xAxis->setRange(low, low + width);
    }
}

void MemoryTimelinePlot::fit()
{
    setVisibleRange(0, end());
}

void MemoryTimelinePlot::zoom(double factor, double around)
{
    m_plot->xAxis->scaleRange(factor, around);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryTimelinePlot::pan(double share)
{
    m_plot->xAxis->moveRange(share * m_plot->xAxis->range().size());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryTimelinePlot::goToPeak()
{
    if (!m_area->stack())
        return;
    const std::size_t peak = m_area->stack()->peak();
    const double key = m_area->keyOfState(peak);
    const double width = m_plot->xAxis->range().size();
    if (key < lower() || key > upper())
        setVisibleRange(key - width / 2, key + width / 2);
    showState(peak);
}

/// The cursor's time alone does not tell states apart that share it, so the state is set after the others heard of it.
void MemoryTimelinePlot::showState(std::size_t state)
{
    m_hovering = true;
    Q_EMIT cursorMoved(m_area->stack()->nsOf(state));
    m_cursorState = state;
    replotOverlay(*m_plot);
}

void MemoryTimelinePlot::stepCursor(int events)
{
    if (!m_area->stack())
        return;
    const auto last = static_cast<std::ptrdiff_t>(m_area->stack()->states()) - 1;
    const auto next = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(m_cursorState) + events, 0, last);
    showState(static_cast<std::size_t>(next));
}

void MemoryTimelinePlot::keyPressEvent(QKeyEvent *event)
{
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const double middle = (lower() + upper()) / 2;
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
        zoom(0.7, middle);
        break;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoom(1.0 / 0.7, middle);
        break;
    case Qt::Key_A:
    case Qt::Key_Left:
        pan(-0.15);
        break;
    case Qt::Key_D:
    case Qt::Key_Right:
        pan(0.15);
        break;
    case Qt::Key_0:
        fit();
        break;
    case Qt::Key_P:
        goToPeak();
        break;
    case Qt::Key_Comma:
        stepCursor(-1);
        break;
    case Qt::Key_Period:
        stepCursor(1);
        break;
    case Qt::Key_Escape:
        m_hovering = false;
        Q_EMIT cursorMoved(-1);
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

void MemoryTimelinePlot::moveCursor(QPointF position)
{
    const QRect rect = m_plot->axisRect()->rect();
    if (!m_area->stack() || !rect.contains(position.toPoint())) {
        if (m_hovering) {
            m_hovering = false;
            Q_EMIT cursorMoved(-1);
        }
        return;
    }
    // The nearest state within the pixel is the one that is drawn there: the highest.
    const double key = m_plot->xAxis->pixelToCoord(position.x());
    const double width = m_plot->xAxis->range().size() / rect.width();
    const std::size_t first = m_area->stateAtKey(key);
    showState(m_area->stack()->highest(first, std::max(first, m_area->stateAtKey(key + width * 0.99))));
}

bool MemoryTimelinePlot::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseMove:
        moveCursor(static_cast<QMouseEvent *>(event)->position());
        break;
    case QEvent::Leave:
        moveCursor({-1, -1});
        break;
    case QEvent::MouseButtonPress:
        setFocus(Qt::MouseFocusReason);
        m_press = static_cast<QMouseEvent *>(event)->position();
        break;
    case QEvent::MouseButtonRelease: {
        const QPointF at = static_cast<QMouseEvent *>(event)->position();
        if (const auto layer = m_area->layerAt(at); layer && (at - m_press).manhattanLength() < 4)
            Q_EMIT layerPicked(*layer);
        break;
    }
    case QEvent::Resize:
        if (static_cast<QResizeEvent *>(event)->size().isEmpty())
            return true; // a page that was never shown; there is nothing to paint on
        QMetaObject::invokeMethod(
            this,
            [this] {
                rescaleValues();
                m_plot->replot(QCustomPlot::rpQueuedReplot);
            },
            Qt::QueuedConnection);
        break;
    case QEvent::MouseButtonDblClick:
        fit();
        return true;
    case QEvent::Wheel: {
        const auto *wheel = static_cast<QWheelEvent *>(event);
        const double steps = wheel->angleDelta().y() / 120.0;
        if (wheel->modifiers() & Qt::ShiftModifier)
            pan(-0.1 * steps);
        else
            zoom(std::pow(0.85, steps), m_plot->xAxis->pixelToCoord(wheel->position().x()));
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

QString MemoryTimelinePlot::hoverText(std::size_t state) const
{
    return stack() && m_recording ? stateSummary(*stack(), *m_recording, state, m_shape) : QString();
}

void MemoryTimelinePlot::paintOverlay(QPainter &painter)
{
    const auto &stack = m_area->stack();
    if (!stack)
        return;
    const Theme &theme = Theme::of(palette());
    const QRectF rect(m_plot->axisRect()->rect());
    painter.setFont(m_plot->font());
    const auto lineAt = [&](double x, Qt::PenStyle style) {
        painter.setPen(QPen(theme.text, 1, style));
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
    };
    const double peakX = m_plot->xAxis->coordToPixel(m_area->keyOfState(stack->peak()));
    if (peakX >= rect.left() && peakX <= rect.right() && !m_peakText.isEmpty()) {
        lineAt(peakX, Qt::DashLine);
        if (!m_hovering)
            drawBubble(painter, {peakX + 7, rect.top() + 10}, m_peakText, rect, false, theme);
    }
    if (m_cursor < 0)
        return;
    const double x = m_plot->xAxis->coordToPixel(m_area->keyOfState(m_cursorState));
    if (x < rect.left() || x > rect.right())
        return;
    lineAt(x, Qt::SolidLine);
    if (m_hovering) {
        const bool left = x > rect.center().x();
        const QString text = hoverText(m_cursorState);
        const double width
            = QFontMetricsF(painter.font()).boundingRect(QRectF(0, 0, 4000, 4000), Qt::AlignLeft, text).width();
        drawBubble(painter, {left ? x - width - 28 : x + 10, rect.center().y()}, text, QRectF(m_plot->rect()), false,
                   theme);
    }
}

void MemoryTimelinePlot::updateDescription()
{
    const auto &stack = m_area->stack();
    setAccessibleDescription(
        !stack ? tr("No recorded step.")
               : tr("Peak %1 at %2, %3.")
                     .arg(bytesText(stack->total(stack->peak())), durationText(stack->nsOf(stack->peak())),
                          m_recording ? stateText(*m_recording, stack->peak(), m_shape) : QString()));
}

void MemoryTimelinePlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

QPixmap MemoryTimelinePlot::picture() const
{
    return m_plot->toPixmap(0, 0, 2.0);
}

QString MemoryTimelinePlot::table() const
{
    return stack() ? stackTable(*stack(), m_area->stateAtKey(lower()), m_area->stateAtKey(upper())) : QString();
}

void MemoryTimelinePlot::repaintNow()
{
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

} // namespace remat::ui
