// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/layer_strip.h"

#include <algorithm>
#include <cmath>

#include <QDateTime>
#include <QMouseEvent>
#include <QPainter>

#include "models/curve_data.h"
#include "models/text.h"
#include "schedule/strategy.h"
#include "theme/hatch.h"
#include "theme/theme.h"

namespace remat::ui {

namespace {

enum CellKind { Saved, Checkpoint, Rebuilt };
constexpr double kCellHeight = 28.0;
constexpr double kLabelWidth = 84.0;

} // namespace

LayerStrip::LayerStrip(ScheduleOf scheduleOf, QWidget *parent) : QWidget(parent), m_scheduleOf(std::move(scheduleOf))
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Layers and interval"));
}

void LayerStrip::setShape(const core::ChainShape &shape)
{
    m_shape = shape;
    m_layers = shape.layers;
    setStrategy(m_strategy);
}

void LayerStrip::setMode(HandleMode mode)
{
    m_mode = mode;
    m_dragging = false;
    update();
}

void LayerStrip::setStrategy(const QString &strategy)
{
    m_strategy = strategy;
    const auto schedule = m_scheduleOf(strategy);
    m_treatment = treatmentOf(schedule ? &*schedule : nullptr, m_shape);
    setAccessibleDescription(handleMeaning(strategy, m_layers));
    update();
}

void LayerStrip::setSelectedLayer(int layer)
{
    m_selected = layer;
    update();
}

QSize LayerStrip::sizeHint() const
{
    return {600, static_cast<int>(kCellHeight) + 22};
}

QSize LayerStrip::minimumSizeHint() const
{
    return {300, sizeHint().height()};
}

double LayerStrip::edgeWidth() const
{
    return QFontMetricsF(themeFont(TextRole::small)).horizontalAdvance(tr("head")) + 22;
}

double LayerStrip::pitch() const
{
    return std::min(96.0, (width() - kLabelWidth - 2 * edgeWidth() - 8) / std::max(1, m_layers));
}

QRectF LayerStrip::cellOfLayer(int layer) const
{
    const double gap = pitch() > 24 ? 7 : pitch() > 8 ? 2 : 1;
    return {edgeWidth() + gap + layer * pitch(), 1, pitch() - gap, kCellHeight - 2};
}

int LayerStrip::value() const
{
    const auto parsed = core::parseStrategy(m_strategy.toStdString());
    const bool own = parsed && !parsed->options.any() && m_mode != HandleMode::budget
        && parsed->kind == (m_mode == HandleMode::every ? core::StrategyKind::every : core::StrategyKind::segments);
    return own ? parsed->n : 0;
}

QPointF LayerStrip::handlePosition() const
{
    const int v = value();
    const double y = kCellHeight + 12;
    if (v > 0)
        return {cellOfLayer(std::min(v, m_layers) - 1).right(), y};
    // "none" ends the line of every:N; there is no such end for segments, whose groups start at one layer.
    return {m_mode == HandleMode::every ? cellOfLayer(m_layers).left() + pitch() / 2 : cellOfLayer(0).left(), y};
}

QString LayerStrip::stopAt(double x) const
{
    const QStringList stops = handleStops(m_mode, m_layers);
    if (stops.isEmpty())
        return {};
    const double position = (x - cellOfLayer(0).left()) / pitch();
    const auto index = static_cast<qsizetype>(std::lround(position)) - 1;
    return stops[std::clamp<qsizetype>(index, 0, stops.size() - 1)];
}

void LayerStrip::paintEvent(QPaintEvent *)
{
    if (m_layers <= 0)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(themeFont(TextRole::small));
    paintCells(painter);
    paintBrackets(painter);
    const Theme &theme = Theme::of(palette());
    const QRectF label(width() - kLabelWidth, 0, kLabelWidth, kCellHeight);
    QFont strong = themeFont(TextRole::strong);
    painter.setFont(strong);
    painter.setPen(theme.accent);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, handleLabel());
    painter.setFont(themeFont(TextRole::small));
    painter.setPen(theme.secondary);
    painter.drawText(label.translated(0, kCellHeight - 6), Qt::AlignRight | Qt::AlignVCenter, tr("← → keys"));
}

QString LayerStrip::handleLabel() const
{
    if (m_mode == HandleMode::budget) {
        const auto parsed = core::parseStrategy(m_strategy.toStdString());
        if (!parsed || parsed->kind != core::StrategyKind::budget)
            return {};
        return parsed->budget.percent < 0.0 ? bytesText(parsed->budget.bytes) : m_strategy.section(QLatin1Char(':'), 1);
    }
    const int v = value();
    if (v <= 0)
        return m_strategy == QLatin1String("none") ? tr("off") : QString();
    return (m_mode == HandleMode::every ? tr("N = %1") : tr("K = %1")).arg(v);
}

void LayerStrip::paintCell(QPainter &painter, const QRectF &box, const QString &text, int kind) const
{
    const Theme &theme = Theme::of(palette());
    const FillStyle boundary = theme.category(core::Category::boundary);
    const FillStyle saved = theme.category(core::Category::savedActivation);
    const double radius = box.width() > 16 ? 4 : 1;
    painter.setPen(kind == Rebuilt ? QPen(boundary.edge, 1.3) : QPen(Qt::NoPen));
    painter.setBrush(kind == Checkpoint ? boundary.fill : kind == Saved ? saved.fill : theme.card);
    painter.drawRoundedRect(box, radius, radius);
    if (text.isEmpty() || QFontMetricsF(painter.font()).horizontalAdvance(text) + 2 > box.width())
        return;
    painter.setPen(kind == Checkpoint ? QColor(Qt::white) : kind == Saved ? Theme::light().text : theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void LayerStrip::paintCells(QPainter &painter) const
{
    const Theme &theme = Theme::of(palette());
    QFont strong = painter.font();
    strong.setWeight(QFont::DemiBold);
    painter.setFont(strong);
    paintCell(painter, {0, 1, edgeWidth(), kCellHeight - 2}, tr("emb"), Saved);
    for (int layer = 0; layer < m_layers; ++layer) {
        const auto i = static_cast<std::size_t>(layer);
        const QRectF box = cellOfLayer(layer);
        paintCell(painter, box, QString::number(layer),
                  m_treatment.checkpoint[i]    ? Checkpoint
                      : m_treatment.rebuilt[i] ? Rebuilt
                                               : Saved);
        if (m_treatment.partly[i]) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(fillBrush(theme.category(core::Category::recomputedActivation), devicePixelRatioF()));
            painter.drawRect(QRectF(box.left() + 1, box.bottom() - 6, box.width() - 2, 5));
        }
        if (layer == m_selected) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.text, 1.6));
            painter.drawRoundedRect(box.adjusted(-1.5, -1, 1.5, 1), 5, 5);
        }
    }
    const QRectF end = cellOfLayer(m_layers);
    paintCell(painter, {end.left(), 1, edgeWidth(), kCellHeight - 2}, tr("head"), Saved);
}

void LayerStrip::paintBrackets(QPainter &painter) const
{
    const Theme &theme = Theme::of(palette());
    const int v = value();
    const double top = kCellHeight + 4, bottom = kCellHeight + 12;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.5));
    for (int first = 0; v > 0 && first < m_layers; first += v) {
        const double left = cellOfLayer(first).left() + 1,
                     right = cellOfLayer(std::min(first + v, m_layers) - 1).right() - 1;
        painter.drawPolyline(QPolygonF({{left, top}, {left, bottom}, {right, bottom}, {right, top}}));
    }
    if (m_mode == HandleMode::budget)
        return;
    const QPointF at = handlePosition();
    const bool live = hasFocus() || m_dragging;
    // Hollow where the strategy is no value of this mode: the handle waits.
    painter.setPen(live ? QPen(theme.text, 1.5) : v > 0 ? QPen(Qt::NoPen) : QPen(theme.accent, 1.5));
    painter.setBrush(v > 0 ? theme.accent : theme.card);
    painter.drawRoundedRect(QRectF(at.x() - 4.5, at.y() - 7, 9, 14), 3, 3);
}

void LayerStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_layers <= 0)
        return;
    setFocus(Qt::MouseFocusReason);
    if (event->position().y() > kCellHeight) {
        if (m_mode == HandleMode::budget)
            return;
        m_dragging = true;
        m_beforeDrag = m_strategy;
        mouseMoveEvent(event);
        return;
    }
    for (int layer = 0; layer < m_layers; ++layer) {
        if (cellOfLayer(layer).adjusted(-1, 0, 1, 0).contains(event->position())) {
            Q_EMIT layerPicked(layer == m_selected ? -1 : layer);
            return;
        }
    }
}

void LayerStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_dragging) {
        const bool grip = event->position().y() > kCellHeight && m_mode != HandleMode::budget;
        setCursor(grip ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    const QPointF d = event->position() - handlePosition();
    const QString stop = std::abs(d.x()) < 5 ? m_strategy : stopAt(event->position().x());
    if (!stop.isEmpty() && stop != m_strategy) {
        setStrategy(stop);
        Q_EMIT previewed(stop);
    }
}

void LayerStrip::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_dragging || event->button() != Qt::LeftButton)
        return;
    m_dragging = false;
    update();
    Q_EMIT dropped(m_strategy, false);
}

void LayerStrip::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (m_dragging && key == Qt::Key_Escape) {
        m_dragging = false;
        setStrategy(m_beforeDrag);
        Q_EMIT dropped(m_beforeDrag, false);
    } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        Q_EMIT measureRequested(m_strategy);
    } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
        Q_EMIT layerPicked(std::clamp(m_selected + (key == Qt::Key_Down ? 1 : -1), -1, m_layers - 1));
    } else if (!handleKeyPressed(key)) {
        QWidget::keyPressEvent(event);
    }
}

bool LayerStrip::handleKeyPressed(int key)
{
    if (m_mode == HandleMode::budget) {
        const auto budget = budgetKeyFrom(key);
        if (budget)
            Q_EMIT budgetKeyPressed(*budget);
        return budget.has_value();
    }
    if (const auto handle = handleKeyFrom(key)) {
        Q_EMIT dropped(handleKeyTarget(*handle, m_mode, m_strategy, m_layers), true);
        return true;
    }
    if (key < Qt::Key_0 || key > Qt::Key_9)
        return false;
    const int v = m_digits.add(key - Qt::Key_0, m_layers, QDateTime::currentMSecsSinceEpoch());
    if (v > 0)
        Q_EMIT dropped(Selection::strategyFor(m_mode, v), true);
    return true;
}

} // namespace remat::ui
