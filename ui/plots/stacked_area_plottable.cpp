// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plots/stacked_area_plottable.h"

#include <algorithm>
#include <cmath>

#include "theme/hatch.h"

namespace remat::ui {

namespace {

constexpr std::size_t kNoState = static_cast<std::size_t>(-1);

/// The pixels of one tile, ready to be repeated.
struct Tile
{
    QImage image;
    int size = 1;

    [[nodiscard]] QRgb at(int x, int y) const
    {
        return reinterpret_cast<const QRgb *>(image.constScanLine(y % size))[x % size];
    }
};

} // namespace

StackedAreaPlottable::StackedAreaPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis)
{
    setSelectable(QCP::stNone);
}

void StackedAreaPlottable::setStack(std::shared_ptr<const StackData> data)
{
    m_data = std::move(data);
}

void StackedAreaPlottable::setStyles(std::vector<FillStyle> styles)
{
    m_styles = std::move(styles);
}

std::size_t StackedAreaPlottable::stateAtKey(double key) const
{
    if (!m_data)
        return 0;
    if (m_overEvents)
        return static_cast<std::size_t>(std::clamp(key, 0.0, static_cast<double>(m_data->states() - 1)));
    return m_data->stateAt(static_cast<core::Nanoseconds>(std::floor(key)));
}

double StackedAreaPlottable::keyOfState(std::size_t state) const
{
    if (!m_data)
        return 0.0;
    return m_overEvents ? static_cast<double>(state) : static_cast<double>(m_data->nsOf(state));
}

double StackedAreaPlottable::lastKey() const
{
    if (!m_data)
        return 1.0;
    return m_overEvents ? static_cast<double>(m_data->states()) : static_cast<double>(m_data->duration());
}

int StackedAreaPlottable::seriesAt(std::size_t state, double value) const
{
    if (!m_data || value < 0)
        return -1;
    StackData::Walker walker(*m_data);
    const auto &held = walker.at(state);
    double below = 0.0;
    for (std::size_t s = 0; s < held.size(); ++s) {
        below += static_cast<double>(held[s]);
        if (value < below)
            return static_cast<int>(s);
    }
    return -1;
}

std::optional<int> StackedAreaPlottable::layerAt(QPointF pixel) const
{
    if (!m_data)
        return std::nullopt;
    const int series = seriesAt(stateAtKey(mKeyAxis->pixelToCoord(pixel.x())), mValueAxis->pixelToCoord(pixel.y()));
    if (series < 0 || !m_data->series()[static_cast<std::size_t>(series)].byLayer)
        return std::nullopt;
    return m_data->series()[static_cast<std::size_t>(series)].layer;
}

double StackedAreaPlottable::selectTest(const QPointF &pos, bool onlySelectable, QVariant *details) const
{
    if (!m_data || onlySelectable)
        return -1;
    const int series = seriesAt(stateAtKey(mKeyAxis->pixelToCoord(pos.x())), mValueAxis->pixelToCoord(pos.y()));
    if (details)
        details->setValue(series);
    return series >= 0 ? 0.0 : -1.0;
}

QCPRange StackedAreaPlottable::getKeyRange(bool &foundRange, QCP::SignDomain) const
{
    foundRange = m_data != nullptr;
    return {0.0, lastKey()};
}

QCPRange StackedAreaPlottable::getValueRange(bool &foundRange, QCP::SignDomain, const QCPRange &inKeyRange) const
{
    foundRange = m_data != nullptr;
    if (!m_data)
        return {};
    const bool all = inKeyRange == QCPRange();
    const std::size_t first = all ? 0 : stateAtKey(inKeyRange.lower);
    const std::size_t last = all ? m_data->states() - 1 : std::max(first, stateAtKey(inKeyRange.upper));
    return {0.0, static_cast<double>(m_data->total(m_data->highest(first, last)))};
}

/// For every column the highest state in force within it; before the start and after the end of the step: none.
std::vector<std::size_t> StackedAreaPlottable::columnStates(int columns) const
{
    std::vector<std::size_t> states(static_cast<std::size_t>(columns), kNoState);
    const QCPRange range = mKeyAxis->range();
    const double width = range.size() / columns;
    const double end = lastKey();
    for (int c = 0; c < columns; ++c) {
        const double left = range.lower + width * c;
        const double right = left + width;
        if (right <= 0.0 || left >= end)
            continue;
        const std::size_t first = stateAtKey(std::max(0.0, left));
        const std::size_t last = stateAtKey(std::max(0.0, std::nextafter(right, left)));
        states[static_cast<std::size_t>(c)] = m_data->highest(first, std::max(first, last));
    }
    return states;
}

void StackedAreaPlottable::draw(QCPPainter *painter)
{
    if (!m_data || m_styles.size() < m_data->series().size())
        return;
    const QRect area = mKeyAxis->axisRect()->rect();
    if (painter->modes().testFlag(QCPPainter::pmVectorized))
        drawBars(painter, area);
    else
        drawImage(painter, area);
}

void StackedAreaPlottable::drawImage(QCPPainter *painter, const QRect &area)
{
    const double ratio = mParentPlot->bufferDevicePixelRatio();
    const int columns = static_cast<int>(std::lround(area.width() * ratio));
    const int rows = static_cast<int>(std::lround(area.height() * ratio));
    if (columns <= 0 || rows <= 0)
        return;
    std::vector<Tile> tiles;
    for (std::size_t s = 0; s < m_data->series().size(); ++s) {
        FillStyle style = m_styles[s];
        const int layer = m_data->series()[s].layer;
        if (m_highlighted >= 0 && m_data->series()[s].byLayer && layer != m_highlighted)
            style.fill.setAlphaF(0.35F);
        QImage tile = fillTile(style, ratio);
        const int size = tile.width();
        tiles.push_back({std::move(tile), size});
    }
    QImage image(columns, rows, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    auto *const pixels = reinterpret_cast<QRgb *>(image.bits());
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    const QCPRange values = mValueAxis->range();
    const double scale = rows / values.size();
    StackData::Walker walker(*m_data);
    const std::vector<std::size_t> states = columnStates(columns);
    for (int x = 0; x < columns; ++x) {
        const std::size_t state = states[static_cast<std::size_t>(x)];
        if (state == kNoState)
            continue;
        const std::vector<core::Bytes> &held = walker.at(state);
        double below = -values.lower;
        int bottom = rows - static_cast<int>(std::lround(below * scale));
        for (std::size_t s = 0; s < held.size(); ++s) {
            if (held[s] <= 0)
                continue;
            below += static_cast<double>(held[s]);
            const int top = rows - static_cast<int>(std::lround(below * scale));
            for (int y = std::max(0, top); y < std::min(rows, bottom); ++y)
                pixels[y * stride + x] = tiles[s].at(x, y);
            bottom = top;
        }
    }
    painter->drawImage(QRectF(area), image, QRectF(image.rect()));
}

void StackedAreaPlottable::drawBars(QCPPainter *painter, const QRect &area)
{
    const std::vector<std::size_t> states = columnStates(area.width());
    StackData::Walker walker(*m_data);
    painter->setPen(Qt::NoPen);
    for (std::size_t x = 0; x < states.size(); ++x) {
        if (states[x] == kNoState)
            continue;
        std::size_t end = x + 1;
        while (end < states.size() && states[end] == states[x])
            ++end;
        double below = 0.0;
        const std::vector<core::Bytes> &held = walker.at(states[x]);
        for (std::size_t s = 0; s < held.size(); ++s) {
            if (held[s] <= 0)
                continue;
            const double bottom = mValueAxis->coordToPixel(below);
            below += static_cast<double>(held[s]);
            const double top = mValueAxis->coordToPixel(below);
            const QRectF bar(area.left() + static_cast<double>(x), top, static_cast<double>(end - x), bottom - top);
            painter->fillRect(bar, m_styles[s].fill);
            if (m_styles[s].hatched)
                painter->fillRect(bar, QBrush(m_styles[s].fill.darker(165), Qt::BDiagPattern));
        }
        x = end - 1;
    }
}

void StackedAreaPlottable::drawLegendIcon(QCPPainter *painter, const QRectF &rect) const
{
    if (!m_styles.empty())
        painter->fillRect(rect, fillBrush(m_styles.front(), painter->device()->devicePixelRatioF()));
}

} // namespace remat::ui
