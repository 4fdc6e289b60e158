// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/tradeoff_plot.h"

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include <QDateTime>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "models/text.h"
#include "plots/curve_painter.h"
#include "plots/plot_axes.h"
#include "plots/plot_frame.h"
#include "theme/theme.h"

namespace remat::ui {

namespace {

constexpr double kBubbleBand = 36.0; // kept free above the marks, so that the bubble never hides a label

} // namespace

TradeoffPlot::TradeoffPlot(QWidget *parent) : QWidget(parent)
{
    setupPlot();
    restyle();
    setAccessibleName(tr("Memory against step time"));
}

TradeoffPlot::~TradeoffPlot() = default;

void TradeoffPlot::setupPlot()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_plot = new QCustomPlot(this);
    layout->addWidget(m_plot);
    setFocusPolicy(Qt::StrongFocus);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->installEventFilter(this);
    installEventFilter(this);
    m_plot->setMinimumHeight(150);
    m_plot->setInteractions(QCP::iRangeZoom | QCP::iRangeDrag);
    m_plot->xAxis->setTicker(QSharedPointer<TimeTicker>::create(TimeTicker::Kind::factor));
    m_plot->yAxis->setTicker(QSharedPointer<BinaryTicker>::create());
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->setNoAntialiasingOnDrag(false);
    addOverlayLayer(*m_plot);
    new PaintedLayerable(m_plot, QStringLiteral("main"), [this](QCPPainter &painter) { paintCurve(painter); });
    new PaintedLayerable(m_plot, QLatin1String(kOverlayLayer), [this](QCPPainter &painter) { paintHandle(painter); });
    connect(m_plot, &QCustomPlot::mouseWheel, this, [this] { m_fitted = false; });
}

void TradeoffPlot::restyle()
{
    const Theme &theme = Theme::of(palette());
    dressPlot(*m_plot, theme);
    QMargins margins = plotMargins(m_plot->font());
    margins.setBottom(2 * margins.bottom() - 2);
    m_plot->axisRect()->setMargins(margins);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setCurve(const CurveData &curve)
{
    m_curve = curve;
    m_plot->xAxis->setTicker(
        QSharedPointer<TimeTicker>::create(curve.relative ? TimeTicker::Kind::factor : TimeTicker::Kind::milliseconds));
    m_plot->xAxis->setLabel(curve.relative ? tr("step time relative to no checkpointing") : tr("step time"));
    if (m_fitted)
        fit();
    updateDescription();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::fit()
{
    m_fitted = true;
    double low = 1e300, high = -1e300, top = 0;
    for (const CurveMark &mark : m_curve.marks) {
        low = std::min(low, mark.timeLow);
        high = std::max(high, mark.timeHigh);
        top = std::max(top, static_cast<double>(mark.bytes));
    }
    if (low > high) {
        low = high = 1.0;
        top = 64.0 * 1024 * 1024;
    }
    const double span = std::max(high - low, 0.08 * std::max(high, 1e-9));
    m_plot->xAxis->setRange(low - 0.06 * span, high + 0.24 * span);
    const double height = std::max(80, m_plot->height() - 60);
    m_plot->yAxis->setRange(0, top * 1.03 * height / (height - std::min(kBubbleBand, height / 3)));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setMode(HandleMode mode)
{
    m_mode = mode;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setChosen(const QString &strategy)
{
    if (m_chosen == strategy)
        return;
    m_chosen = strategy;
    updateDescription();
    if (!m_dragging)
        m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setAxis(MemoryAxis axis)
{
    m_axis = axis;
    m_fitted = true;
}

QPointF TradeoffPlot::pixelOf(const CurveMark &mark) const
{
    return {m_plot->xAxis->coordToPixel(mark.time), m_plot->yAxis->coordToPixel(static_cast<double>(mark.bytes))};
}

QPointF TradeoffPlot::markPosition(const QString &strategy) const
{
    const CurveMark *mark = m_curve.find(strategy);
    return mark ? QPointF(m_plot->mapTo(this, QPoint(0, 0))) + pixelOf(*mark) : QPointF();
}

void TradeoffPlot::paintCurve(QPainter &painter)
{
    const QRectF bounds(m_plot->axisRect()->rect());
    painter.setFont(m_plot->font());
    painter.setClipRect(bounds.adjusted(-6, 0, 14, 6));
    const CurvePainter curvePainter{m_curve,
                                    Theme::of(palette()),
                                    m_mode,
                                    m_chosen,
                                    bounds.adjusted(2, kBubbleBand - 6, 12, 0),
                                    [this](double time, double bytes) {
                                        return QPointF(m_plot->xAxis->coordToPixel(time),
                                                       m_plot->yAxis->coordToPixel(bytes));
                                    }};
    curvePainter.paint(painter);
}

void TradeoffPlot::paintHandle(QPainter &painter)
{
    const CurveMark *mark = m_curve.find(m_chosen);
    if (!mark)
        return;
    const Theme &theme = Theme::of(palette());
    const QRectF rect(m_plot->axisRect()->rect());
    const QPointF at = pixelOf(*mark);
    if (!rect.adjusted(-1, -1, 1, 1).contains(at))
        return;
    painter.setFont(m_plot->font());
    painter.setPen(QPen(theme.accent, hasFocus() || m_dragging ? 2.4 : 1.6));
    painter.drawLine(QPointF(at.x(), rect.top() + 6), QPointF(at.x(), rect.bottom()));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawEllipse(at, 9, 9);
    QString text = handleMeaning(m_chosen, m_curve.layers);
    if (mark->kind == MarkKind::failed) {
        text += tr(" · does not fit");
    } else {
        text += QStringLiteral(" · ") + bytesText(mark->bytes) + QStringLiteral(" · ")
            + (m_curve.relative ? factorText(mark->time)
                                : durationText(static_cast<core::Nanoseconds>(mark->time * 1e6)));
        const double spread = (mark->timeHigh - mark->timeLow) / 2;
        if (mark->kind == MarkKind::predicted)
            text += tr(" · predicted");
        else if (m_curve.relative && spread > 0)
            text += QStringLiteral(" ± ") + QLocale().toString(std::max(0.01, spread), 'f', 2);
    }
    QFont strong = painter.font();
    strong.setWeight(QFont::DemiBold);
    painter.setFont(strong);
    const double width = QFontMetricsF(strong).horizontalAdvance(text) + 18;
    const bool left = at.x() + 8 + width > rect.right() + 10;
    drawBubble(painter, {left ? at.x() - 8 - width : at.x() + 8, rect.top() + 14}, text, rect.adjusted(0, 0, 12, 0),
               true, theme);
}

void TradeoffPlot::repaintOverlay()
{
    replotOverlay(*m_plot);
}

const CurveMark *TradeoffPlot::markNear(QPointF position, bool onlyStops, double reach) const
{
    const QStringList stops = handleStops(m_mode, m_curve.layers);
    const CurveMark *nearest = nullptr;
    double best = reach;
    for (const CurveMark &mark : m_curve.marks) {
        const bool stop = stops.contains(mark.strategy);
        if (onlyStops ? !stop : (mark.kind == MarkKind::predicted && !stop))
            continue;
        const QPointF d = pixelOf(mark) - position;
        const double distance = std::hypot(d.x(), d.y());
        if (distance < best) {
            best = distance;
            nearest = &mark;
        }
    }
    return nearest;
}

bool TradeoffPlot::onHandle(QPointF position) const
{
    const CurveMark *mark = m_curve.find(m_chosen);
    const QRect rect = m_plot->axisRect()->rect();
    if (!mark || !rect.adjusted(-6, 0, 6, 0).contains(position.toPoint()))
        return false;
    return std::abs(pixelOf(*mark).x() - position.x()) <= 6;
}

bool TradeoffPlot::pressed(QPointF position)
{
    const CurveMark *mark = markNear(position, false, 10);
    if (!mark && !onHandle(position))
        return false;
    m_dragging = true;
    m_beforeDrag = m_chosen;
    m_plot->setInteraction(QCP::iRangeDrag, false);
    if (mark && mark->strategy != m_chosen) {
        m_chosen = mark->strategy;
        Q_EMIT previewed(m_chosen);
    }
    repaintOverlay();
    return true;
}

void TradeoffPlot::moved(QPointF position)
{
    if (!m_dragging) {
        const bool over = onHandle(position) || markNear(position, false, 10);
        m_plot->setCursor(over ? Qt::SizeHorCursor : Qt::ArrowCursor);
        const CurveMark *mark = markNear(position, false, 10);
        m_plot->setToolTip(!mark                                ? QString()
                               : mark->kind == MarkKind::failed ? mark->reason
                                                                : droppedText(mark->strategy));
        return;
    }
    const CurveMark *mark = markNear(position, true, 1e9);
    if (!mark || mark->strategy == m_chosen)
        return;
    m_chosen = mark->strategy;
    repaintOverlay();
    Q_EMIT previewed(m_chosen);
}

void TradeoffPlot::released()
{
    m_dragging = false;
    m_plot->setInteraction(QCP::iRangeDrag, true);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    updateDescription();
    Q_EMIT dropped(m_chosen, false);
}

bool TradeoffPlot::keyPressed(QKeyEvent &event)
{
    if (m_dragging && event.key() == Qt::Key_Escape) {
        m_chosen = m_beforeDrag;
        released();
        return true;
    }
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return false;
    if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) {
        Q_EMIT measureRequested(m_chosen);
        return true;
    }
    QString target;
    if (const auto key = handleKeyFrom(event.key()))
        target = handleKeyTarget(*key, m_mode, m_chosen, m_curve.layers);
    else if (event.key() >= Qt::Key_0 && event.key() <= Qt::Key_9) {
        const int value = m_digits.add(event.key() - Qt::Key_0, m_curve.layers, QDateTime::currentMSecsSinceEpoch());
        if (value > 0)
            target = Selection::strategyFor(m_mode, value);
        else if (event.key() == Qt::Key_0)
            fit();
    } else {
        return false;
    }
    if (!target.isEmpty() && target != m_chosen)
        Q_EMIT dropped(target, true);
    return true;
}

bool TradeoffPlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == this) {
        if (event->type() == QEvent::KeyPress)
            return keyPressed(*static_cast<QKeyEvent *>(event));
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
            repaintOverlay();
        return false;
    }
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        setFocus(Qt::MouseFocusReason);
        const auto *mouse = static_cast<QMouseEvent *>(event);
        return mouse->button() == Qt::LeftButton && pressed(mouse->position());
    }
    case QEvent::MouseMove: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        moved(mouse->position());
        if (!m_dragging && (mouse->buttons() & Qt::LeftButton))
            m_fitted = false;
        return m_dragging;
    }
    case QEvent::MouseButtonRelease:
        if (m_dragging) {
            released();
            return true;
        }
        return false;
    case QEvent::MouseButtonDblClick:
        fit();
        return true;
    case QEvent::Resize:
        if (static_cast<QResizeEvent *>(event)->size().isEmpty())
            return true; // a page that was never shown; there is nothing to paint on
        if (m_fitted)
            QMetaObject::invokeMethod(
                this, [this] { fit(); }, Qt::QueuedConnection);
        return false;
    default:
        return false;
    }
}

void TradeoffPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

void TradeoffPlot::updateDescription()
{
    const CurveMark *mark = m_curve.find(m_chosen);
    const auto measured = std::count_if(m_curve.marks.begin(), m_curve.marks.end(),
                                        [](const CurveMark &m) { return m.kind == MarkKind::measured; });
    QString text = tr("%1 measured strategies.").arg(measured);
    if (mark && mark->kind != MarkKind::failed)
        text += QLatin1Char(' ')
            + tr("Chosen: %1, %2, %3.")
                  .arg(strategyTitle(m_chosen), bytesText(mark->bytes),
                       m_curve.relative ? factorText(mark->time)
                                        : durationText(static_cast<core::Nanoseconds>(mark->time * 1e6)));
    setAccessibleDescription(text);
}

QPixmap TradeoffPlot::picture() const
{
    return m_plot->toPixmap(0, 0, 2.0);
}

QString TradeoffPlot::table() const
{
    QString text = tr("strategy\tkind\tbytes\ttime\tq1\tq3\n");
    static const char *const kKinds[] = {"measured", "predicted", "failed"};
    for (const CurveMark &mark : m_curve.marks) {
        text += mark.strategy + QLatin1Char('\t') + QLatin1String(kKinds[static_cast<int>(mark.kind)])
            + QLatin1Char('\t') + QString::number(mark.bytes);
        for (const double time : {mark.time, mark.timeLow, mark.timeHigh})
            text += QLatin1Char('\t') + QString::number(time, 'g', 7);
        text += QLatin1Char('\n');
    }
    return text;
}

} // namespace remat::ui
