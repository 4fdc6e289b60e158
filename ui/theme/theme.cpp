// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "theme/theme.h"

#include <algorithm>
#include <cmath>

#include <QGuiApplication>

namespace remat::ui {

namespace {

double linear(double channel)
{
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

Theme makeLight()
{
    Theme t;
    t.window = QColor(0xf6, 0xf7, 0xf8);
    t.card = QColor(0xff, 0xff, 0xff);
    t.hairline = QColor(0xdf, 0xe2, 0xe6);
    t.grid = QColor(0xec, 0xee, 0xf0);
    t.text = QColor(0x1d, 0x21, 0x27);
    t.secondary = QColor(0x5b, 0x63, 0x6e);
    t.accent = QColor(0x00, 0x80, 0x6a);
    t.onAccent = QColor(0xff, 0xff, 0xff);
    t.selected = QColor(0xe3, 0xf2, 0xee);
    t.warning = QColor(0xb4, 0x4d, 0x00);
    t.bubble = QColor(0x1d, 0x21, 0x27);
    t.bubbleText = QColor(0xff, 0xff, 0xff);
    t.everyMark = QColor(0x2c, 0x8c, 0xc4);
    t.segmentsMark = QColor(0x00, 0x72, 0xb2);
    t.selectiveMark = QColor(0x7c, 0x6f, 0xb0);
    t.planMark = QColor(0xa8, 0x4b, 0x7a);
    t.otherMark = QColor(0x75, 0x7c, 0x86);
    return t;
}

Theme makeDark()
{
    Theme t;
    t.dark = true;
    t.window = QColor(0x1b, 0x1d, 0x21);
    t.card = QColor(0x23, 0x26, 0x2b);
    t.hairline = QColor(0x36, 0x3a, 0x41);
    t.grid = QColor(0x2d, 0x30, 0x36);
    t.text = QColor(0xe8, 0xe9, 0xeb);
    t.secondary = QColor(0x9a, 0xa1, 0xab);
    t.accent = QColor(0x4c, 0xb3, 0xa0);
    t.onAccent = QColor(0x10, 0x1c, 0x19);
    t.selected = QColor(0x2b, 0x3d, 0x3a);
    t.warning = QColor(0xf0, 0x9a, 0x4e);
    t.bubble = QColor(0xe8, 0xe9, 0xeb);
    t.bubbleText = QColor(0x1b, 0x1d, 0x21);
    t.everyMark = QColor(0x56, 0xb4, 0xe9);
    t.segmentsMark = QColor(0x1f, 0x86, 0xc6);
    t.selectiveMark = QColor(0xa9, 0x9c, 0xe0);
    t.planMark = QColor(0xe0, 0x8f, 0xbb);
    t.otherMark = QColor(0x9a, 0xa1, 0xab);
    return t;
}

/// After Okabe and Ito, safe for colour-blind eyes; greys for what training itself needs.
QColor categoryFill(core::Category category)
{
    switch (category) {
    case core::Category::parameter:
        return QColor(0x6d, 0x74, 0x7e);
    case core::Category::parameterGradient:
        return QColor(0x8b, 0x92, 0x9c);
    case core::Category::optimizerState:
        return QColor(0xa9, 0xaf, 0xb8);
    case core::Category::input:
    case core::Category::constant:
        return QColor(0xc3, 0xc8, 0xce);
    case core::Category::workspace:
        return QColor(0x9d, 0x8f, 0x80);
    case core::Category::boundary:
        return QColor(0x00, 0x72, 0xb2);
    case core::Category::savedActivation:
        return QColor(0x56, 0xb4, 0xe9);
    case core::Category::recomputedActivation:
        return QColor(0xe6, 0x9f, 0x00);
    case core::Category::activationGradient:
        return QColor(0xcc, 0x79, 0xa7);
    case core::Category::logitsAndLoss:
        return QColor(0xd5, 0x5e, 0x00);
    case core::Category::castCopy:
        return QColor(0x00, 0x9e, 0x73);
    case core::Category::temporary:
        return QColor(0xc9, 0xbf, 0x3a);
    case core::Category::workerScratch:
        return QColor(0xb5, 0xa6, 0x92);
    case core::Category::other:
        return QColor(0x5f, 0x5f, 0x6e);
    }
    return {};
}

QColor phaseFill(core::Phase phase)
{
    switch (phase) {
    case core::Phase::forward:
        return QColor(0x56, 0xb4, 0xe9);
    case core::Phase::loss:
        return QColor(0xd5, 0x5e, 0x00);
    case core::Phase::recompute:
        return QColor(0xe6, 0x9f, 0x00);
    case core::Phase::backward:
        return QColor(0x7c, 0x6f, 0xb0);
    case core::Phase::optimizer:
        return QColor(0x8b, 0x92, 0x9c);
    case core::Phase::other:
        return QColor(0xc3, 0xc8, 0xce);
    }
    return {};
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor withContrast(QColor color, const QColor &background, double ratio)
{
    const bool darker = luminance(background) > 0.18;
    for (int i = 0; i < 60 && contrastRatio(color, background) < ratio; ++i)
        color = darker ? color.darker(104) : color.lighter(104);
    return color;
}

const Theme &Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &Theme::darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme &Theme::of(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : light();
}

FillStyle Theme::category(core::Category category) const
{
    const QColor fill = categoryFill(category);
    return {fill, withContrast(fill, card, 3.0), category == core::Category::recomputedActivation};
}

FillStyle Theme::phase(core::Phase phase) const
{
    const QColor fill = phaseFill(phase);
    return {fill, withContrast(fill, card, 3.0), phase == core::Phase::recompute};
}

FillStyle Theme::layer(int layer, bool recomputed) const
{
    if (layer < 0)
        return {QColor(0x8b, 0x92, 0x9c), withContrast(QColor(0x8b, 0x92, 0x9c), card, 3.0), recomputed};
    // From blue to green over twelve layers and back, every second one lighter.
    const int turn = layer % 24;
    const int position = turn < 12 ? turn : 23 - turn;
    const QColor fill = QColor::fromHsl(205 - position * 7, 130, (layer % 2 ? 150 : 105) + position);
    return {fill, withContrast(fill, card, 3.0), recomputed};
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, card);
    p.setColor(QPalette::AlternateBase, window);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, secondary);
    p.setColor(QPalette::Button, card);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, warning);
    p.setColor(QPalette::Light, card);
    p.setColor(QPalette::Midlight, grid);
    p.setColor(QPalette::Mid, hairline);
    p.setColor(QPalette::Dark, hairline.darker(120));
    p.setColor(QPalette::Shadow, hairline.darker(150));
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, onAccent);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::ToolTipBase, bubble);
    p.setColor(QPalette::ToolTipText, bubbleText);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        QColor faint = secondary;
        faint.setAlpha(150);
        p.setColor(QPalette::Disabled, role, faint);
    }
    return p;
}

QFont themeFont(TextRole role)
{
    QFont f = QGuiApplication::font();
    const double body = f.pointSizeF() > 0 ? f.pointSizeF() : 9.75;
    switch (role) {
    case TextRole::body:
        break;
    case TextRole::small:
        f.setPointSizeF(body * 11.5 / 13.0);
        break;
    case TextRole::strong:
        f.setWeight(QFont::DemiBold);
        break;
    case TextRole::title:
        f.setPointSizeF(body * 14.0 / 13.0);
        f.setWeight(QFont::DemiBold);
        break;
    case TextRole::number:
        f.setPointSizeF(body * 24.0 / 13.0);
        f.setWeight(QFont::DemiBold);
        break;
    }
    return f;
}

} // namespace remat::ui
