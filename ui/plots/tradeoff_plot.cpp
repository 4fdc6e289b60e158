// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/tradeoff_plot.h"

#include <algorithm>

#include <qcustomplot.h>

#include <QVBoxLayout>

#include "models/text.h"
#include "plots/curve_painter.h"
#include "plots/handle_painter.h"
#include "plots/plot_axes.h"
#include "plots/plot_frame.h"
#include "theme/theme.h"

namespace remat::ui {

namespace {

constexpr double kPlansBeyond = 0.5; // of the marks' range of times

/// Kept free above the marks, so that the bubble never hides a label; that of a budget has two lines.
double bubbleBand(HandleMode mode)
{
    return mode == HandleMode::budget ? 54.0 : 36.0;
}

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
    m_line.setCurve(m_curve);
    standLine();
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
    if (m_mode == HandleMode::budget) {
        // The leanest plans may be slower than anything else by far: they run out of the picture, unless one is chosen.
        const double most = high + kPlansBeyond * (high - low);
        for (const auto &[time, bytes] : m_curve.best)
            high = std::max(high, std::min(time, most));
        if (const auto mark = m_curve.markFor(m_chosen))
            high = std::max(high, mark->timeHigh);
    }
    if (low > high) {
        low = high = 1.0;
        top = 64.0 * 1024 * 1024;
    }
    const double span = std::max(high - low, 0.08 * std::max(high, 1e-9));
    m_plot->xAxis->setRange(low - 0.06 * span, high + 0.24 * span);
    const double height = std::max(80, m_plot->height() - 60);
    m_plot->yAxis->setRange(0, top * 1.03 * height / (height - std::min(bubbleBand(m_mode), height / 3)));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setMode(HandleMode mode)
{
    if (m_mode == mode)
        return;
    m_mode = mode;
    m_line.dropTyped();
    if (m_fitted)
        fit();
    updateDescription();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TradeoffPlot::setChosen(const QString &strategy)
{
    if (m_chosen == strategy)
        return;
    m_chosen = strategy;
    standLine();
    updateDescription();
    if (m_dragging)
        return;
    if (m_mode == HandleMode::budget && m_fitted)
        fit();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// At the budget that is chosen, or at the peak of what else is.
void TradeoffPlot::standLine()
{
    const auto mark = m_curve.markFor(m_chosen);
    if (!mark || !m_curve.front || m_draggingLine)
        return;
    // What was measured may need less than any plan, where its options were not probed: that asks for no budget.
    const core::Bytes budget = mark->budget > 0 ? mark->budget : std::max(mark->peak, m_curve.front->smallest());
    m_line.stand(budget);
}

void TradeoffPlot::setPlanProblem(const QString &text)
{
    m_planProblem = text;
    repaintOverlay();
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

HandlePainter TradeoffPlot::handlePainter() const
{
    return {m_curve, Theme::of(palette()), QRectF(m_plot->axisRect()->rect()), hasFocus() || m_dragging,
            [this](double time, double bytes) {
                return QPointF(m_plot->xAxis->coordToPixel(time), m_plot->yAxis->coordToPixel(bytes));
            }};
}

void TradeoffPlot::paintCurve(QPainter &painter)
{
    const QRectF bounds(m_plot->axisRect()->rect());
    painter.setFont(m_plot->font());
    painter.setClipRect(bounds.adjusted(-6, 0, 14, 6));
    const HandlePainter handle = handlePainter();
    const auto mark = m_curve.markFor(m_chosen);
    std::vector<QRectF> obstacles;
    if (m_mode == HandleMode::budget && m_line.ready())
        obstacles = handle.obstaclesOfBudget(m_line, painter.font());
    else if (m_mode != HandleMode::budget && mark)
        obstacles = handle.obstaclesOfValue(*mark);
    const CurvePainter curvePainter{
        m_curve,   handle.theme,  m_mode, m_chosen, bounds.adjusted(2, bubbleBand(m_mode) - 6, 12, 0),
        obstacles, handle.toPixel};
    curvePainter.paint(painter);
}

void TradeoffPlot::paintHandle(QPainter &painter)
{
    painter.setFont(m_plot->font());
    const HandlePainter handle = handlePainter();
    const auto mark = m_curve.markFor(m_chosen);
    if (m_mode != HandleMode::budget) {
        if (mark)
            handle.paintValue(painter, *mark);
    } else if (m_line.ready()) {
        handle.paintBudget(painter, m_line, mark);
    } else {
        handle.paintSentence(painter, noLineText());
    }
}

QString TradeoffPlot::noLineText() const
{
    return m_planProblem.isEmpty() ? tr("Nothing to plan with yet: measure anything, and its costs are known.")
                                   : m_planProblem;
}

QString TradeoffPlot::budgetSentence() const
{
    return m_line.ready() ? budgetText(m_line, m_curve.markFor(m_chosen), m_curve) : noLineText();
}

int TradeoffPlot::budgetLinePosition() const
{
    return m_plot->y() + qRound(m_plot->yAxis->coordToPixel(m_line.height()));
}

void TradeoffPlot::repaintOverlay()
{
    replotOverlay(*m_plot);
}

void TradeoffPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

void TradeoffPlot::updateDescription()
{
    const auto mark = m_curve.markFor(m_chosen);
    const auto measured = std::count_if(m_curve.marks.begin(), m_curve.marks.end(),
                                        [](const CurveMark &m) { return m.kind == MarkKind::measured; });
    QString text = tr("%1 measured strategies.").arg(measured);
    if (mark && mark->kind != MarkKind::failed)
        text += QLatin1Char(' ')
            + tr("Chosen: %1, %2, %3.")
                  .arg(strategyTitle(m_chosen), bytesText(mark->bytes),
                       m_curve.relative ? factorText(mark->time)
                                        : durationText(static_cast<core::Nanoseconds>(mark->time * 1e6)));
    if (m_mode == HandleMode::budget)
        text += QLatin1Char(' ') + budgetSentence();
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
