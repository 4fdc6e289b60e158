// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include <QColor>
#include <QFont>
#include <QPalette>

#include "measure/recording.h"

class QWidget;

namespace remat::ui {

/// How a kind of data is painted. `edge` has the contrast to stand on a card by itself; `fill` is the colour of the area.
/// Recomputed work is hatched wherever it appears, so that colour is never the only sign.
struct FillStyle
{
    QColor fill;
    QColor edge;
    bool hatched = false;
};

/// All colours of the program, light and dark: plain values, made once. Nothing else names a colour. A widget asks
/// Theme::of(palette()), because the palette is what changes when the user or the system switches. GUI thread.
struct Theme
{
    bool dark = false;
    QColor window, card, hairline, grid, text, secondary, accent, onAccent, selected, warning, bubble, bubbleText;
    QColor everyMark, segmentsMark, selectiveMark, planMark, otherMark;

    [[nodiscard]] static const Theme &light();
    [[nodiscard]] static const Theme &darkTheme();
    [[nodiscard]] static const Theme &of(const QPalette &palette);

    [[nodiscard]] FillStyle category(core::Category category) const;
    [[nodiscard]] FillStyle phase(core::Phase phase) const;
    /// Layers in the stack: a ramp of two alternating lightnesses, so that neighbours differ. `layer` -1: not in a block.
    [[nodiscard]] FillStyle layer(int layer, bool recomputed) const;
    [[nodiscard]] QPalette palette() const;
};

/// Contrast ratio of WCAG 2.1 (1 to 21).
[[nodiscard]] double contrastRatio(const QColor &a, const QColor &b);

/// `color` moved away from `background` until their contrast is at least `ratio`.
[[nodiscard]] QColor withContrast(QColor color, const QColor &background, double ratio);

/// The type sizes of the program: two for text, one for the number, and a title.
enum class TextRole { body, small, strong, title, number };
[[nodiscard]] QFont themeFont(TextRole role);

/// The style sheet that goes with a theme; one for the application.
[[nodiscard]] QString styleSheet(const Theme &theme);

} // namespace remat::ui
