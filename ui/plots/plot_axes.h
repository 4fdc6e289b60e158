// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace remat::ui {

struct Theme;

/// Ticks of a memory axis in bytes: steps are powers of two, labels share one binary unit ("64 MiB").
class BinaryTicker : public QCPAxisTicker
{
protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double step) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
    QVector<QString> createLabelVector(const QVector<double> &ticks, const QLocale &locale, QChar formatChar,
                                       int precision) override;

private:
    double m_largest = 0.0;
};

/// Ticks of a step time: "×1.2" for factors, "20 ms" for nanoseconds.
class TimeTicker : public QCPAxisTicker
{
public:
    enum class Kind { factor, milliseconds, nanoseconds, count };
    explicit TimeTicker(Kind kind) : m_kind(kind) { }

protected:
    int getSubTickCount(double step) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;

private:
    Kind m_kind;
};

/// Something of ours that paints within the axis rect of a plot, on the layer it is put on.
class PaintedLayerable : public QCPLayerable
{
public:
    using Paint = std::function<void(QCPPainter &)>;
    PaintedLayerable(QCustomPlot *plot, const QString &layer, Paint paint);

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    void draw(QCPPainter *painter) override;
    QRect clipRect() const override;

private:
    Paint m_paint;
};

/// Colours, fonts and fixed margins of a plot; to be called on every change of palette or font.
void dressPlot(QCustomPlot &plot, const Theme &theme);

/// A buffered layer above everything, repainted alone while a handle or cursor moves.
void addOverlayLayer(QCustomPlot &plot);
/// Repaints that layer; nothing where the plot was not laid out yet.
void replotOverlay(QCustomPlot &plot);
inline constexpr const char *kOverlayLayer = "overlay-live";

} // namespace remat::ui
